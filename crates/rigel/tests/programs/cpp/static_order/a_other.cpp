#include "shared.h"

static Logger other_logger("other");
static int seed() { return 41; }
int from_other = seed();
int bump() { return ++inline_counter; }
int other_holder() { return ++Holder<int>::value(); }
int other_static() { return local_static(); }
namespace { int secret = 7; }
int other_hidden() { return secret; }
extern "C" int c_function(int n) { return n * n; }
