// flags: -std=c++20
// Operator overloading, references, conversions, user-defined literals, friends, namespaces, enum class.
#include <compare>
#include <cstddef>
#include <cstdio>
#include <cstdint>
#include <initializer_list>

namespace math {
struct Vec {
    double x, y;
    Vec operator+(const Vec &o) const { return { x + o.x, y + o.y }; }
    Vec &operator+=(const Vec &o) { x += o.x; y += o.y; return *this; }
    Vec operator-() const { return { -x, -y }; }
    friend Vec operator*(double k, const Vec &v) { return { k * v.x, k * v.y }; }
    bool operator==(const Vec &) const = default;
    explicit operator bool() const { return x || y; }
    double operator[](int i) const { return i ? y : x; }
    double &operator[](int i) { return i ? y : x; }
    double operator()(double a, double b) const { return a * x + b * y; }
};
inline namespace v1 { inline int version = 1; }
namespace detail { int helper(int n) { return n * 2; } }
}
namespace m = math;
using math::Vec;

struct Fraction {
    int n, d;
    constexpr Fraction(int num, int den = 1) : n(num), d(den) {}
    constexpr auto operator<=>(const Fraction &o) const { return n * o.d <=> o.n * d; }
    constexpr bool operator==(const Fraction &o) const { return (*this <=> o) == 0; }
    operator double() const { return double(n) / d; }
};

struct Counter {
    int n = 0;
    Counter &operator++() { ++n; return *this; }
    Counter operator++(int) { Counter old = *this; n++; return old; }
    Counter &operator--() { --n; return *this; }
    Counter operator,(int k) { n += k; return *this; }
    Counter *operator->() { n += 1000; return this; }
    int operator*() const { return n; }
    int operator&&(bool b) const { return n + b; }
    Counter &operator<<(int k) { n = n * 10 + k; return *this; }
};

constexpr unsigned long long operator""_k(unsigned long long n) { return n * 1000; }
constexpr long double operator""_half(long double n) { return n / 2; }
std::size_t operator""_len(const char *, std::size_t n) { return n; }
template <char... C> constexpr int operator""_digits() { return sizeof...(C); }

enum class Color : std::uint8_t { Red = 1, Green = 200, Blue };
enum Old { X, Y = 10, Z };
constexpr Color operator|(Color a, Color b) { return Color(std::uint8_t(a) | std::uint8_t(b)); }

int overload(int) { return 1; }
int overload(double) { return 2; }
int overload(const char *) { return 3; }
int overload(...) { return 4; }
int ref(int &) { return 1; }
int ref(const int &) { return 2; }
int ref(int &&) { return 3; }

void swap(int &a, int &b) { int t = a; a = b; b = t; }
int &largest(int &a, int &b) { return a > b ? a : b; }

int sum(std::initializer_list<int> list)
{
    int s = 0;
    for (int x : list)
        s += x;
    return s + int(list.size()) * 1000;
}

struct List { int n = 0; List(std::initializer_list<int> l) { for (int x : l) n = n * 10 + x; } List(int a, int b) : n(a + b) {} };
struct Matrix { int cells[2][2] = { { 1, 2 }, { 3, 4 } }; int (&row(int i))[2] { return cells[i]; } };
union Number { int i; float f; Number(int n) : i(n) {} Number(float x) : f(x) {} };
struct S { mutable int hits = 0; int get() const { return ++hits; } static int shared; int self() & { return 1; } int self() && { return 2; } };
int S::shared = 9;

int main()
{
    Vec a{ 1, 2 }, b{ 3, 4 };
    a += b + -a;
    std::printf("%g %g %g\n", a.x, a[1], (2 * a)(1, 10));
    a[0] = 9;
    std::printf("%g %d %d %d\n", a.x, a == b, a != b, a ? 1 : 0);
    std::printf("%d %d %d\n", Fraction(1, 2) < Fraction(2, 3), Fraction(2, 4) == Fraction(1, 2), Fraction(3) >= Fraction(7, 2));
    std::printf("%g\n", Fraction(1, 4) + 0.5);
    Counter c;
    std::printf("%d ", (c++).n);
    std::printf("%d ", (++c).n);
    std::printf("%d ", (c, 5).n);
    std::printf("%d ", c->n);
    std::printf("%d %d ", *c, c && true);
    c << 1 << 2;
    std::printf("%d\n", c.n);
    std::printf("%llu %Lg %zu %d\n", 5_k, 3.0_half, "four"_len, 12345_digits);
    std::printf("%d %d %d\n", int(Color::Blue), int(Color::Red | Color::Green), Z);
    Color color = Color::Green;
    switch (color) {
    case Color::Red: std::puts("red"); break;
    case Color::Green: std::puts("green"); break;
    default: std::puts("?");
    }
    std::printf("%d %d %d %d\n", overload(1.5f), overload("s"), overload('c' + 1.0), overload(nullptr));
    int x = 1, y = 2;
    const int z = 3;
    std::printf("%d %d %d\n", ref(x), ref(z), ref(5));
    swap(x, y);
    largest(x, y) = 50;
    int &alias = y;
    alias++;
    std::printf("%d %d\n", x, y);
    std::printf("%d %d\n", sum({ 1, 2, 3 }), sum({}));
    std::printf("%d %d\n", List{ 1, 2, 3 }.n, List(1, 2).n);
    Matrix mat;
    mat.row(1)[0] = 30;
    std::printf("%d\n", mat.cells[1][0]);
    std::printf("%d %g\n", Number(5).i, Number(2.5f).f);
    const S s;
    s.get();
    S t;
    std::printf("%d %d %d %d\n", s.get(), S::shared, t.self(), S().self());
    std::printf("%d %d %d\n", m::version, math::v1::version, m::detail::helper(4));
    int &&rvalue = 5 + x;
    rvalue *= 2;
    std::printf("%d\n", rvalue);
    const double &converted = x;
    std::printf("%g\n", converted);
    auto [p, q] = a;
    auto &[rp, rq] = b;
    rp = 77;
    std::printf("%g %g %g\n", p, q, b.x);
    int array[] = { 4, 5, 6 };
    auto [e0, e1, e2] = array;
    for (int &e : array)
        e *= e0;
    std::printf("%d %d %d\n", array[2], e1, e2);
    std::printf("%d\n", true ? x : 0.5 > 1);
    return 0;
}
