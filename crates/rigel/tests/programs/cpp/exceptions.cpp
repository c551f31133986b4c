// Exceptions: by value, reference, pointer; hierarchies; rethrow; nesting; the order of clean-up.
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

struct Trace {
    const char *n;
    Trace(const char *name) : n(name) { std::printf("+%s ", n); }
    ~Trace() { std::printf("-%s ", n); }
};

struct Error { int code; Error(int c) : code(c) {} virtual const char *what() const { return "Error"; } virtual ~Error() {} };
struct Special : Error { using Error::Error; const char *what() const override { return "Special"; } };
struct Left { int l = 1; virtual ~Left() {} };
struct Right { int r = 2; virtual ~Right() {} };
struct Both : Left, Right { int b = 3; };
struct VBase { int v = 10; virtual ~VBase() {} };
struct V1 : virtual VBase { int a = 11; };
struct V2 : virtual VBase { int b = 12; };
struct Diamond : V1, V2 { int d = 13; };
struct Twice : Left { };
struct Ambiguous : Twice, Both { };
class Private : Left { };

void thrower(int n)
{
    Trace t("thrower");
    switch (n) {
    case 0: throw 42;
    case 1: throw 2.5;
    case 2: throw "text";
    case 3: throw Error(3);
    case 4: throw Special(4);
    case 5: throw Both();
    case 6: throw Diamond();
    case 7: throw new Special(7);
    case 8: throw 'c';
    case 9: throw std::runtime_error("runtime");
    case 10: throw std::out_of_range("range");
    case 11: throw nullptr;
    case 12: { static Both b; throw &b; }
    case 13: throw Private();
    case 14: throw std::pair<int, int>(1, 2);
    case 15: throw std::string("std::string");
    }
    std::printf("no throw ");
}

void middle(int n)
{
    Trace t("middle");
    thrower(n);
    Trace u("after");
}

void catcher(int n)
{
    std::printf("%d: ", n);
    try {
        Trace t("try");
        middle(n);
    } catch (int i) {
        std::printf("int %d", i);
    } catch (double d) {
        std::printf("double %g", d);
    } catch (const char *s) {
        std::printf("%s", s ? s : "null");
    } catch (const Special &e) {
        std::printf("special %s %d", e.what(), e.code);
    } catch (Error &e) {
        std::printf("error %s %d", e.what(), e.code);
    } catch (Right &r) {
        std::printf("right %d", r.r);
    } catch (VBase &v) {
        std::printf("vbase %d", v.v);
    } catch (Error *e) {
        std::printf("pointer %s %d", e->what(), e->code);
        delete e;
    } catch (Right *r) {
        std::printf("right pointer %d", r->r);
    } catch (const std::logic_error &e) {
        std::printf("logic");
    } catch (const std::exception &e) {
        std::printf("std");
    } catch (std::pair<int, int> p) {
        std::printf("pair %d %d", p.first, p.second);
    } catch (...) {
        std::printf("anything");
    }
    std::puts("");
}

int rethrow(int n)
{
    try {
        try {
            throw Special(n);
        } catch (Error &e) {
            e.code += 100;
            Trace t("handler");
            if (n > 5)
                throw;
            throw 1;
        }
    } catch (Special &s) {
        return s.code;
    } catch (int) {
        return -1;
    }
}

int nested()
{
    int r = 0;
    try {
        throw 1;
    } catch (int a) {
        try {
            throw 2;
        } catch (int b) {
            try {
                throw 3;
            } catch (int c) {
                r = a * 100 + b * 10 + c;
            }
        }
    }
    return r;
}

struct Member { Trace t; Member(const char *n, bool fail) : t(n) { if (fail) throw 5; } };
struct Whole : Trace {
    Member a, b, c;
    Whole(int k) : Trace("base"), a("a", false), b("b", k == 1), c("c", false) { if (k == 2) throw 6; }
    ~Whole() { std::printf("~Whole "); }
};

struct Guarded {
    Member m;
    Guarded(bool fail) try : m("m", fail) {
        std::printf("made ");
    } catch (int e) {
        std::printf("function-try %d ", e);
        throw e + 1;
    }
};

int whole(int n) try {
    if (n)
        throw n;
    return 0;
} catch (int e) {
    return e * 2;
}

struct Bomb { static int made; Bomb() { if (++made == 3) throw made; } ~Bomb() { std::printf("-bomb "); } };
int Bomb::made = 0;

struct Swallow { ~Swallow() { try { throw 9; } catch (int n) { std::printf("swallowed %d ", n); } } };

struct Copied { int n; Copied(int k) : n(k) {} Copied(const Copied &o) : n(o.n + 1) { std::printf("copy "); } ~Copied() { std::printf("-copied%d ", n); } };

int finally_like(int n)
{
    for (int i = 0; i < 5; i++) {
        Trace t("loop");
        try {
            Trace u("inner");
            if (i == 1)
                continue;
            if (i == n)
                return i;
            if (i == 3)
                throw i;
        } catch (int e) {
            break;
        }
    }
    return -1;
}

int depth(int n)
{
    struct Count { int &c; ~Count() { c++; } };
    static int unwound = 0;
    Count c{ unwound };
    if (n == 0)
        throw std::string("deep");
    depth(n - 1);
    return unwound;
}

struct Mine : std::runtime_error { using std::runtime_error::runtime_error; };
struct Named : std::exception { const char *what() const noexcept override { return "named"; } };

/// What the exceptions of the library say, each caught as the base of all.
void standard(int n)
{
    try {
        switch (n) {
        case 0: throw Mine("mine");
        case 1: throw std::out_of_range("range");
        case 2: throw std::exception();
        case 3: throw std::bad_alloc();
        case 4: throw Named();
        case 5: throw std::invalid_argument(std::string("argument"));
        case 6: std::string("abc").at(5);
        }
    } catch (const std::exception &e) {
        std::printf("%s\n", e.what());
    }
}

int quiet(int n) noexcept { try { if (n) throw n; } catch (...) { return 1; } return 0; }

int main()
{
    for (int i = 0; i < 17; i++)
        catcher(i);
    std::printf("%d %d\n", rethrow(3), rethrow(7));
    std::printf("%d\n", nested());
    for (int i = 0; i < 3; i++) {
        try { Whole w(i); std::printf("whole "); } catch (int e) { std::printf("caught %d", e); }
        std::puts("");
    }
    try { Guarded g(false); } catch (...) { }
    try { Guarded g(true); } catch (int e) { std::printf("caught %d\n", e); }
    std::printf("%d %d\n", whole(0), whole(4));
    try { Bomb b[5]; } catch (int n) { std::printf("array %d\n", n); }
    Bomb::made = 0;
    try { delete[] new Bomb[4]; } catch (int n) { std::printf("new array %d\n", n); }
    try { Swallow s; throw 1.5; } catch (double d) { std::printf("%g\n", d); }
    try { throw Copied(1); } catch (Copied c) { std::printf("%d\n", c.n); }
    std::puts("");
    try { throw Copied(1); } catch (Copied &c) { std::printf("%d\n", c.n); }
    std::puts("");
    std::printf("%d %d %d\n", finally_like(0), finally_like(2), finally_like(9));
    try { depth(50); } catch (std::string &s) { std::printf("%s\n", s.c_str()); }
    std::printf("%d %d\n", quiet(0), quiet(3));
    for (int i = 0; i < 7; i++)
        standard(i);
    std::printf("%d\n", std::uncaught_exceptions());
    try { try { throw 1; } catch (...) { throw; } } catch (int n) { std::printf("again %d\n", n); }
    std::exception_ptr kept;
    try { throw 77; } catch (...) { kept = std::current_exception(); }
    try { std::rethrow_exception(kept); } catch (int n) { std::printf("kept %d\n", n); }
    return 0;
}
