#pragma once
#include <cstdio>

struct Logger {
    const char *name;
    Logger(const char *n) : name(n) { std::printf("+%s\n", name); }
    ~Logger() { std::printf("-%s\n", name); }
};
inline int inline_counter = 100;
inline Logger inline_logger("inline");
extern int from_other;
int bump();
int other_holder();
int other_static();
int other_hidden();
template <class T> struct Holder { static T &value() { static T v = 5; return v; } };
inline int local_static() { static int n = 0; return ++n; }
namespace { int secret_here = 3; }
inline int hidden() { return 4; }
