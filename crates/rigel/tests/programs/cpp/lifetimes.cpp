// Constructors and destructors: the order for locals, members, bases, arrays, temporaries, statics, globals.
#include <cstdio>
#include <new>
#include <utility>

struct Noisy {
    const char *name;
    int id;
    static int count;
    Noisy(const char *n = "default") : name(n), id(++count) { std::printf("+%s%d ", name, id); }
    Noisy(const Noisy &o) : name(o.name), id(++count) { std::printf("c%s%d ", name, id); }
    Noisy(Noisy &&o) noexcept : name(o.name), id(++count) { o.name = "moved"; std::printf("m%s%d ", name, id); }
    Noisy &operator=(const Noisy &o) { name = o.name; std::printf("=%s%d ", name, id); return *this; }
    Noisy &operator=(Noisy &&o) noexcept { name = o.name; o.name = "gone"; std::printf("~=%s%d ", name, id); return *this; }
    ~Noisy() { std::printf("-%s%d ", name, id); }
};
int Noisy::count = 0;

static Noisy global_a("ga"), global_b("gb");

struct Base { Noisy b{ "base" }; Base() { std::printf("B "); } virtual ~Base() { std::printf("~B "); } };
struct Other { Noisy o{ "other" }; ~Other() { std::printf("~O "); } };
struct Derived : Base, Other {
    Noisy first, second;
    Derived() : second("second"), first("first") { std::printf("D "); }
    ~Derived() override { std::printf("~D "); }
};

Noisy make(const char *n) { return Noisy(n); }
Noisy named(bool which)
{
    Noisy a("a"), b("b");
    if (which)
        return a;
    return b;
}
Noisy named_one() { Noisy r("nrvo"); r.id += 100; return r; }
void by_value(Noisy) { std::printf("in "); }
const Noisy &pass(const Noisy &n) { return n; }

int statics(int n)
{
    static Noisy s("static");
    if (n > 1) {
        static Noisy t("lazy");
        return t.id;
    }
    return s.id;
}

struct Delegating {
    int x, y;
    Delegating(int a, int b) : x(a), y(b) { std::printf("two "); }
    Delegating(int a) : Delegating(a, a * 2) { std::printf("one "); }
    Delegating() : Delegating(7) { std::printf("none "); }
};

struct Defaults { int a = 3; int b{ a * 2 }; Noisy n; int c; Defaults(int k) : c(k + b) {} };

#define SECTION(s) std::printf("\n%s: ", s)

int main()
{
    SECTION("locals");
    { Noisy a("a"); Noisy b("b"); { Noisy c("c"); } Noisy d("d"); }
    SECTION("derived");
    { Derived d; }
    SECTION("array");
    { Noisy list[3]; Noisy two[2] = { "x", "y" }; (void)two; }
    SECTION("temporary");
    Noisy("temp");
    std::printf("%d ", pass(Noisy("arg")).id);
    SECTION("extended");
    { const Noisy &r = Noisy("ref"); std::printf("%s ", r.name); }
    SECTION("rvo");
    { Noisy r = make("rvo"); Noisy s = named_one(); std::printf("%d ", s.id); }
    SECTION("named");
    { Noisy r = named(true); Noisy s = named(false); }
    SECTION("value");
    { Noisy a("a"); by_value(a); by_value(std::move(a)); by_value(make("t")); std::printf("%s ", a.name); }
    SECTION("assign");
    { Noisy a("a"), b("b"); a = b; a = Noisy("t"); b = std::move(a); }
    SECTION("static");
    std::printf("%d %d %d %d ", statics(1) > 0, statics(2) > 0, statics(1) > 0, statics(2) > 0);
    SECTION("loop");
    for (int i = 0; i < 3; i++) { Noisy a("l"); if (i == 1) continue; if (i == 2) break; }
    SECTION("goto");
    { int n = 0; again: Noisy a("g"); if (n++ < 2) goto again; }
    SECTION("condition");
    for (int i = 0; i < 2; i++) { Noisy a = i ? Noisy("yes") : Noisy("no"); }
    if (Noisy n("if"); n.id > 0) std::printf("then ");
    SECTION("delegate");
    Delegating d;
    std::printf("%d %d ", d.x, d.y);
    SECTION("default");
    { Defaults e(1); std::printf("%d %d %d ", e.a, e.b, e.c); }
    SECTION("heap");
    { Noisy *p = new Noisy("h"); delete p; Base *b = new Derived; delete b; Noisy *a = new Noisy[2]; delete[] a; }
    SECTION("placement");
    { alignas(Noisy) char room[sizeof(Noisy)]; Noisy *p = new (room) Noisy("place"); p->~Noisy(); }
    SECTION("return from the middle");
    [] { Noisy a("a"); for (;;) { Noisy b("b"); if (b.id) return; } }();
    SECTION("comma");
    (Noisy("c1"), Noisy("c2"));
    SECTION("end");
    return 0;
}
