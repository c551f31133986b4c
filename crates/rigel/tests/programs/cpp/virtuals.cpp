// Virtual calls: single, multiple and virtual inheritance, pure functions, casts, typeid, destructors.
#include <cstdio>
#include <cstring>
#include <typeinfo>

struct Shape {
    virtual ~Shape() { std::printf("~Shape "); }
    virtual double area() const = 0;
    virtual const char *name() const { return "shape"; }
    double twice() const { return 2 * area(); }
};
struct Square : Shape {
    double s;
    Square(double x) : s(x) {}
    ~Square() override { std::printf("~Square "); }
    double area() const override { return s * s; }
    const char *name() const override { return "square"; }
};
struct Named : Square { using Square::Square; const char *name() const final { return "named"; } };
struct Circle final : Shape { double r; Circle(double x) : r(x) {} double area() const override { return 3 * r * r; } };

struct A { int a = 1; virtual int f() { return a; } virtual int only_a() { return 100; } virtual ~A() {} };
struct B { int b = 2; virtual int f() { return b; } virtual int only_b() { return 200; } virtual ~B() {} };
struct C : A, B { int c = 3; int f() override { return 10 * a + b + c; } int only_b() override { return c; } ~C() override { std::printf("~C "); } };

struct Top { int t; Top(int n = 5) : t(n) { std::printf("Top%d ", n); } virtual int who() { return 1; } virtual ~Top() { std::printf("~Top "); } };
struct L : virtual Top { int l = 6; L() : Top(50) {} int who() override { return 2 + t; } };
struct R : virtual Top { int r = 7; R() : Top(60) {} virtual int mine() { return r + t; } };
struct Bottom : L, R { int b = 8; Bottom() : Top(70) {} int who() override { return l + r + b + t; } int mine() override { return -t; } };
struct Further : Bottom { Further() : Top(80) {} int mine() override { return Bottom::mine() * 2; } };

struct Ctor { int seen; Ctor() { seen = kind(); } virtual int kind() { return 1; } virtual ~Ctor() { std::printf("kind %d ", kind()); } };
struct Ctor2 : Ctor { int later; Ctor2() { later = kind(); } int kind() override { return 2; } ~Ctor2() override { std::printf("kind %d ", kind()); } };

struct Clone { virtual Clone *clone() const { return new Clone(*this); } virtual int v() const { return 1; } virtual ~Clone() {} };
struct Mixin { long pad[3] = { 7, 8, 9 }; virtual long m() { return pad[1]; } virtual ~Mixin() {} };
struct Clone2 : Mixin, Clone { int x = 21; Clone2 *clone() const override { return new Clone2(*this); } int v() const override { return x; } };

struct Interface { virtual int call(int) = 0; virtual int defaulted(int n = 3) { return n; } };
struct Impl : private A, public Interface { int call(int n) override { return n + a; } int defaulted(int n = 4) override { return n * 10; } };

static double total(const Shape *const *list, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += list[i]->area();
    return s;
}

int main()
{
    Square q(2);
    Named m(3);
    Circle c(1);
    const Shape *list[] = { &q, &m, &c };
    for (auto s : list)
        std::printf("%s %g %g\n", s->name(), s->area(), s->twice());
    std::printf("%g %s\n", total(list, 3), static_cast<const Square &>(m).Square::name());
    Shape *heap = new Named(1);
    delete heap;
    std::puts("");

    C obj;
    A *pa = &obj;
    B *pb = &obj;
    std::printf("%d %d %d %d %d\n", pa->f(), pb->f(), pb->only_b(), pa->only_a(), pb->B::f());
    std::printf("%d %d\n", (void *)pa == (void *)pb, static_cast<C *>(pb) == static_cast<C *>(pa));
    std::printf("%d\n", dynamic_cast<C *>(pb) == &obj);
    std::printf("%d %d\n", dynamic_cast<B *>(pa) == pb, dynamic_cast<void *>(pb) == (void *)&obj);
    B plain;
    std::printf("%d %d\n", dynamic_cast<C *>(&plain) == nullptr, dynamic_cast<A *>(static_cast<B *>(nullptr)) == nullptr);
    B *owned = new C;
    delete owned;
    std::puts("");

    {
        Bottom b;
        Top *t = &b;
        L *l = &b;
        R *r = &b;
        std::printf("%d %d %d %d %d\n", t->who(), l->who(), r->who(), r->mine(), b.t);
        std::printf("%d %d\n", static_cast<Top *>(l) == static_cast<Top *>(r), dynamic_cast<Bottom *>(t) == &b);
        std::printf("%d\n", dynamic_cast<R *>(l) == r);
        Further f;
        r = &f;
        std::printf("%d %d\n", r->mine(), static_cast<L &>(f).t);
        L alone;
        std::printf("%d %d\n", alone.who(), dynamic_cast<Bottom *>(static_cast<Top *>(&alone)) == nullptr);
        Bottom copy = b;
        copy.t = 1;
        std::printf("%d %d\n", copy.who(), b.who());
        int Top::*member = &Top::t;
        std::printf("%d\n", b.*member);
    }
    std::puts("");
    {
        Ctor2 x;
        std::printf("%d %d ", x.seen, x.later);
    }
    std::puts("");
    Clone2 original;
    original.x = 33;
    Clone *base = &original;
    Clone *copy = base->clone();
    std::printf("%d %ld\n", copy->v(), dynamic_cast<Mixin *>(copy)->m());
    delete copy;
    Impl impl;
    Interface &in = impl;
    std::printf("%d %d %d\n", in.call(5), in.defaulted(), impl.defaulted());

    std::printf("%d %d %d\n", typeid(*pa) == typeid(C), typeid(pa) == typeid(A *), typeid(*list[0]) == typeid(*list[1]));
    std::printf("%s %s %s\n", typeid(*pb).name(), typeid(int).name(), typeid(Shape).name());
    try {
        dynamic_cast<C &>(plain);
        std::puts("no");
    } catch (const std::bad_cast &e) {
        std::puts("bad_cast");
    }
    try {
        Shape *none = nullptr;
        std::printf("%s\n", typeid(*none).name());
    } catch (const std::bad_typeid &) {
        std::puts("bad_typeid");
    }
    int (A::*pf)() = &A::f;
    std::printf("%d %d\n", (pa->*pf)(), (obj.*pf)());
    return 0;
}
