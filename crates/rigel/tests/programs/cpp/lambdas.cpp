// Lambdas and member pointers: captures, mutable, generic, recursive, as pointers, in templates and std::function.
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>

template <class F> int apply(F f, int n) { return f(n); }
template <class F, class... A> auto call(F &&f, A &&...a) { return std::forward<F>(f)(std::forward<A>(a)...); }
int plain(int (*f)(int), int n) { return f(n) + 1; }

auto make_adder(int k) { return [k](int n) { return n + k; }; }
auto make_counter() { return [n = 0]() mutable { return ++n; }; }
template <class F, class G> auto compose(F f, G g) { return [=](auto x) { return f(g(x)); }; }

struct Widget {
    int v = 10;
    int twice(int k) const { return v * k; }
    int add(int k) { return v += k; }
    virtual int virt() { return 1; }
    auto by_this() { return [this](int n) { return v += n; }; }
    auto by_copy() { return [*this](int n) { return v + n; }; }
    static int fixed(int n) { return n * 3; }
    virtual ~Widget() = default;
};
struct Gadget : Widget { int extra = 5; int virt() override { return 2; } };

struct Functor { int calls = 0; int operator()(int n) { calls++; return n * calls; } };

std::function<int(int)> chain(std::function<int(int)> f, int times)
{
    std::function<int(int)> g = [](int n) { return n; };
    for (int i = 0; i < times; i++)
        g = [f, g](int n) { return f(g(n)); };
    return g;
}

int main()
{
    int a = 1, b = 2;
    auto by_value = [a, b](int n) { return a + b + n; };
    auto by_ref = [&](int n) { a += n; return a; };
    a = 100;
    std::printf("%d %d %d\n", by_value(3), by_ref(5), a);
    auto mixed = [=, &b]() { b = a; return b; };
    std::printf("%d %d\n", mixed(), b);
    std::printf("%d %d\n", apply(by_value, 1), apply([](int n) { return n * n; }, 7));
    std::printf("%d\n", plain([](int n) { return -n; }, 9));
    int (*fp)(int) = +[](int n) { return n ^ 1; };
    std::printf("%d\n", fp(6));
    auto counter = make_counter();
    auto copy = counter;
    counter();
    counter();
    std::printf("%d %d\n", counter(), copy());
    auto generic = [](auto x, auto y) { return x + y; };
    std::printf("%d %g %c\n", generic(1, 2), generic(1.5, 2), generic('a', char(1)));
    auto variadic = [](auto... xs) { return (xs + ... + 0); };
    std::printf("%d %d\n", variadic(), variadic(1, 2, 3));
    std::printf("%d\n", compose(make_adder(1), [](int n) { return n * 10; })(4));
    auto fact = [](auto self, int n) -> long { return n < 2 ? 1 : n * self(self, n - 1); };
    std::printf("%ld\n", fact(fact, 10));
    std::function<long(int)> fib = [&fib](int n) -> long { return n < 2 ? n : fib(n - 1) + fib(n - 2); };
    std::printf("%ld\n", fib(12));
    auto owned = [p = std::make_unique<int>(41)] { return ++*p; };
    std::printf("%d\n", owned());
    auto moved = std::move(owned);
    std::printf("%d\n", moved());
    [&, n = 5]() mutable { n++; b = n; }();
    std::printf("%d\n", b);
    std::printf("%d\n", [](int n) { return [n](int m) { return n * m; }; }(3)(4));

    std::function<int(int)> f = Functor();
    f(1);
    std::printf("%d %d\n", f(10), bool(f));
    f = make_adder(7);
    std::printf("%d\n", f(1));
    f = nullptr;
    std::printf("%d\n", bool(f));
    f = Widget::fixed;
    std::printf("%d\n", f(4));
    std::printf("%d\n", chain(make_adder(2), 5)(0));
    try {
        std::function<int()> empty;
        empty();
    } catch (const std::bad_function_call &) {
        std::puts("empty");
    }

    Widget w;
    int (Widget::*method)(int) const = &Widget::twice;
    int Widget::*field = &Widget::v;
    std::printf("%d %d\n", (w.*method)(3), w.*field);
    Widget *pw = &w;
    pw->*field = 20;
    std::printf("%d\n", (pw->*method)(2));
    int (Widget::*virt)() = &Widget::virt;
    Gadget g;
    std::printf("%d %d\n", (w.*virt)(), (g.*virt)());
    int (Gadget::*derived)(int) = &Widget::add;
    std::printf("%d\n", (g.*derived)(5));
    int (Widget::*none)() = nullptr;
    std::printf("%d %d\n", none == nullptr, virt != nullptr);
    int Widget::*nofield = nullptr;
    std::printf("%d\n", nofield == nullptr);
    auto bt = w.by_this();
    auto bc = w.by_copy();
    bt(100);
    std::printf("%d %d\n", w.v, bc(1));
    auto mem = std::mem_fn(&Widget::twice);
    std::printf("%d %d\n", mem(w, 2), std::invoke(&Widget::v, w));
    auto bound = std::bind(&Widget::twice, &w, std::placeholders::_1);
    std::printf("%d\n", bound(3));
    std::printf("%d\n", call([](int &&x, const int &y) { return x - y; }, 10, a));
    int (*table[])(int) = { [](int n) { return n + 1; }, [](int n) { return n * 2; } };
    std::printf("%d %d\n", table[0](5), table[1](5));
    return 0;
}
