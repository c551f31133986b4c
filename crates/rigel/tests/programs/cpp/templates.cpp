// flags: -std=c++20
// Templates: specialisation, variadic, CRTP, SFINAE, concepts, constexpr, static members, fold expressions.
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <type_traits>
#include <utility>

template <class T> struct Kind { static constexpr const char *name = "other"; };
template <> struct Kind<int> { static constexpr const char *name = "int"; };
template <class T> struct Kind<T *> { static constexpr const char *name = "pointer"; };
template <class T, std::size_t N> struct Kind<T[N]> { static constexpr const char *name = "array"; };

template <int N> struct Factorial { enum { value = N * Factorial<N - 1>::value }; };
template <> struct Factorial<0> { enum { value = 1 }; };

template <class T> T largest(T a) { return a; }
template <class T, class... R> T largest(T a, R... rest) { T b = largest<T>(rest...); return a > b ? a : b; }
template <class... A> void print(const char *f, A... a) { std::printf(f, a...); }
template <class... A> int count(A &&...) { return sizeof...(A); }
template <class... A> int fold(A... a) { int s = 0; ((s = s * 10 + a), ...); return s; }

template <class D> struct Shape { double twice() const { return 2 * static_cast<const D *>(this)->area(); } static inline int made = 0; Shape() { made++; } };
struct Square : Shape<Square> { double s = 3; double area() const { return s * s; } };
struct Disc : Shape<Disc> { double area() const { return 3; } };

template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0> const char *what(T) { return "integral"; }
template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0> const char *what(T) { return "floating"; }
template <class T> auto size_of(const T &t) -> decltype(t.size()) { return t.size(); }
int size_of(...) { return -1; }
template <class T> concept Addable = requires(T a) { { a + a } -> std::convertible_to<T>; };
template <Addable T> int can() { return 1; }
template <class T> int can() { return 0; }

template <class T, int N = 4> class Stack {
    T items[N];
    int n = 0;
public:
    bool push(const T &t) { if (n == N) return false; items[n++] = t; return true; }
    T pop() { return items[--n]; }
    template <class F> void each(F f) const { for (int i = 0; i < n; i++) f(items[i]); }
    int size() const { return n; }
    template <class U> Stack<U, N> as() const { Stack<U, N> r; each([&](const T &t) { r.push(U(t)); }); return r; }
};

template <class T> struct Node { T value; Node *next; static int live; Node(T v, Node *n) : value(v), next(n) { live++; } ~Node() { live--; } };
template <class T> int Node<T>::live = 0;

template <class T> int calls() { static int n = 0; return ++n; }
template <class T> constexpr T pi = T(3.14159265358979);
template <auto V> constexpr auto constant = V;
template <template <class> class C, class T> const char *inner(const C<T> &) { return Kind<T>::name; }
template <class T> struct Box { T t; };
template <class T> Box(T) -> Box<T>;

constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
constexpr int table_sum()
{
    int t[10] = {};
    for (int i = 0; i < 10; i++)
        t[i] = i * i;
    int s = 0;
    for (int x : t)
        s += x;
    return s;
}
static_assert(fib(10) == 55);
constinit int ready = fib(15);
consteval int now(int n) { return n * 2; }

template <std::size_t... I> int indexed(const int *a, std::index_sequence<I...>) { return ((a[I] * int(I + 1)) + ...); }
template <class T> void dispatch(T t)
{
    if constexpr (std::is_pointer_v<T>)
        std::printf("pointer to %s\n", Kind<std::remove_pointer_t<T>>::name);
    else
        std::printf("%s value\n", Kind<T>::name);
}
template <class T> struct Outer { template <class U> struct Inner { static int id() { return sizeof(T) * 10 + sizeof(U); } }; };
template <class... B> struct Inherit : B... { using B::operator()...; };
template <class... B> Inherit(B...) -> Inherit<B...>;
extern template int calls<long>();
template int calls<long>();

int main()
{
    std::printf("%s %s %s %s\n", Kind<int>::name, Kind<char *>::name, Kind<int[3]>::name, Kind<double>::name);
    std::printf("%d\n", int(Factorial<6>::value));
    std::printf("%d %g\n", largest(3, 9, 2), largest(1.5, 0.5));
    print("%d %s %g\n", 1, "two", 3.0);
    std::printf("%d %d\n", count(), count(1, "a", 2.0));
    std::printf("%d\n", fold(1, 2, 3));
    Square sq, sq2;
    Disc d;
    std::printf("%g %g %d %d\n", sq.twice(), d.twice(), Shape<Square>::made, Shape<Disc>::made);
    std::printf("%s %s\n", what(1), what(1.0f));
    Stack<int> st;
    for (int i = 0; i < 6; i++)
        std::printf("%d", st.push(i * 3));
    std::printf(" %d %d %d\n", st.pop(), st.size(), int(size_of(st)));
    std::printf("%d %d %d\n", size_of(1), can<int>(), can<Disc>());
    auto ds = st.as<double>();
    std::printf("%g\n", ds.pop() / 4);
    {
        Node<int> a(1, nullptr), b(2, &a);
        Node<char> c('c', nullptr);
        std::printf("%d %d %d\n", Node<int>::live, Node<char>::live, b.next->value);
    }
    std::printf("%d\n", Node<int>::live);
    calls<int>();
    std::printf("%d %d %d\n", calls<int>(), calls<char>(), calls<long>());
    std::printf("%.6f %.3f %d %c\n", pi<double>, double(pi<float>), constant<5>, constant<'x'>);
    std::printf("%s\n", inner(Box{ 5 }));
    std::printf("%d %d %d %d\n", ready, table_sum(), now(4), fib(7));
    int values[] = { 5, 6, 7 };
    std::printf("%d\n", indexed(values, std::make_index_sequence<3>{}));
    dispatch(1);
    dispatch(&values[0]);
    std::printf("%d\n", Outer<long>::Inner<short>::id());
    Inherit over{ [](int) { return 1; }, [](double) { return 2; }, [](const char *) { return 3; } };
    std::printf("%d %d %d\n", over(1), over(1.0), over(""));
    return 0;
}
