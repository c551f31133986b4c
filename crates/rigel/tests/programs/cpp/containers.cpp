// flags: -D_GLIBCXX_ASSERTIONS
// The standard containers and smart pointers.
#include <array>
#include <bitset>
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <stdexcept>
#include <stack>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

struct Tracked {
    static int live;
    int n;
    Tracked(int k = 0) : n(k) { live++; }
    Tracked(const Tracked &o) : n(o.n) { live++; }
    ~Tracked() { live--; }
};
int Tracked::live = 0;

struct Self : std::enable_shared_from_this<Self> { std::shared_ptr<Self> me() { return shared_from_this(); } };
template <class... T> struct Visitor : T... { using T::operator()...; };
template <class... T> Visitor(T...) -> Visitor<T...>;

static void vectors()
{
    std::vector<int> v{ 3, 1, 2 };
    v.push_back(9);
    v.insert(v.begin() + 1, 7);
    v.erase(v.begin());
    v.emplace_back(4);
    for (int x : v)
        std::printf("%d ", x);
    std::printf("%zu %d %d\n", v.size(), v.front(), v.back());
    v.resize(8, -1);
    v.pop_back();
    std::printf("%d %zu %d\n", v[6], v.size(), v.empty());
    std::vector<std::vector<int>> grid(3, std::vector<int>(4, 1));
    grid[1][2] = 5;
    int s = 0;
    for (auto &row : grid)
        for (int x : row)
            s += x;
    std::printf("%d\n", s);
    {
        std::vector<Tracked> t;
        for (int i = 0; i < 20; i++)
            t.emplace_back(i);
        t.erase(t.begin() + 3, t.begin() + 10);
        std::printf("%d %d\n", Tracked::live, t[5].n);
    }
    std::printf("%d\n", Tracked::live);
    std::vector<bool> bits(70);
    bits[3] = bits[65] = true;
    bits.flip();
    int n = 0;
    for (bool b : bits)
        n += b;
    std::printf("%d\n", n);
    try {
        v.at(100);
    } catch (const std::out_of_range &) {
        std::puts("out_of_range");
    }
    std::vector<int> moved = std::move(v);
    std::printf("%zu %zu %d\n", v.size(), moved.size(), moved == std::vector<int>{ 1 });
}

static void maps()
{
    std::map<std::string, int> m;
    const char *words[] = { "the", "cat", "and", "the", "dog", "and", "the", "bird" };
    for (auto w : words)
        m[w]++;
    for (const auto &[k, v] : m)
        std::printf("%s=%d ", k.c_str(), v);
    m.erase("cat");
    std::printf("%zu %zu %d\n", m.size(), m.count("the"), m.find("cow") == m.end());
    std::map<int, int> squares;
    for (int i = 0; i < 100; i++)
        squares[i * 37 % 101] = i;
    int last = -1, sorted = 1;
    for (auto &p : squares) {
        sorted &= p.first > last;
        last = p.first;
    }
    for (int i = 0; i < 50; i++)
        squares.erase(i * 2);
    std::printf("%d %zu %d\n", sorted, squares.size(), squares.lower_bound(50)->first);
    std::set<int> s{ 5, 3, 8, 3 };
    std::printf("%zu %d %d\n", s.size(), *s.begin(), s.insert(5).second);
    std::multimap<int, char> mm{ { 1, 'a' }, { 1, 'b' }, { 2, 'c' } };
    std::printf("%zu\n", mm.count(1));
    std::unordered_map<std::string, int> u;
    for (int i = 0; i < 200; i++)
        u["key" + std::to_string(i)] = i;
    int total = 0;
    for (auto &p : u)
        total += p.second;
    std::printf("%zu %d %d %d\n", u.size(), total, u["key150"], u.find("none") == u.end());
    u.erase("key5");
    std::printf("%zu\n", u.size());
    std::unordered_set<int> us;
    for (int i = 0; i < 1000; i++)
        us.insert(i % 77);
    std::printf("%zu %zu\n", us.size(), us.count(76));
}

static void others()
{
    std::list<int> l{ 1, 2, 3 };
    l.push_front(0);
    l.reverse();
    l.remove(2);
    for (int x : l)
        std::printf("%d ", x);
    std::list<int> more{ 9, 8 };
    l.splice(l.begin(), more);
    l.sort();
    std::printf("%zu %d\n", l.size(), l.back());
    std::deque<int> d;
    for (int i = 0; i < 300; i++)
        i % 2 ? d.push_back(i) : d.push_front(i);
    std::printf("%d %d %d\n", d.front(), d.back(), d[150]);
    std::priority_queue<int> q;
    for (int x : { 3, 9, 4 })
        q.push(x);
    std::printf("%d\n", q.top());
    std::stack<int> st;
    st.push(1);
    st.push(2);
    st.pop();
    std::printf("%d\n", st.top());
    std::array<int, 4> a{ 4, 3, 2, 1 };
    std::printf("%d %zu %d\n", a[1], a.size(), std::get<3>(a));
    std::tuple<int, const char *, double> t{ 1, "two", 3.5 };
    auto [x, y, z] = t;
    std::printf("%d %s %g %d\n", x, y, z, std::tie(x, y) < std::make_tuple(2, "a"));
    std::optional<int> o;
    std::printf("%d %d ", o.has_value(), o.value_or(5));
    o = 7;
    std::printf("%d\n", *o);
    std::variant<int, double, const char *> v = 5;
    auto show = Visitor{ [](int i) { std::printf("int %d ", i); }, [](double f) { std::printf("double %g ", f); },
                         [](const char *s) { std::printf("text %s ", s); } };
    std::visit(show, v);
    v = 2.5;
    std::visit(show, v);
    v = "s";
    std::visit(show, v);
    std::printf("%zu %d\n", v.index(), std::holds_alternative<int>(v));
    try {
        std::get<int>(v);
    } catch (const std::bad_variant_access &) {
        std::puts("bad_variant_access");
    }
    std::bitset<10> bits("1010");
    std::printf("%zu %lu\n", bits.count(), (bits << 2).to_ulong());
    std::pair<int, std::string> p{ 1, "one" };
    std::printf("%d %s\n", p.first, p.second.c_str());
}

static void pointers()
{
    {
        auto u = std::make_unique<Tracked>(5);
        auto moved = std::move(u);
        std::printf("%d %d %d\n", u == nullptr, moved->n, Tracked::live);
        std::unique_ptr<Tracked[]> list(new Tracked[3]);
        std::printf("%d\n", Tracked::live);
        moved.reset();
        auto closer = [](int *p) { std::printf("closing %d\n", *p); delete p; };
        std::unique_ptr<int, decltype(closer)> custom(new int(3), closer);
    }
    std::printf("%d\n", Tracked::live);
    std::weak_ptr<Tracked> weak;
    {
        auto s = std::make_shared<Tracked>(8);
        auto t = s;
        weak = s;
        std::printf("%ld %d\n", s.use_count(), weak.lock()->n);
        t.reset();
        std::printf("%ld %d\n", s.use_count(), weak.expired());
        std::shared_ptr<void> erased = s;
        std::shared_ptr<int> alias(s, &s->n);
        std::printf("%ld %d\n", s.use_count(), *alias);
    }
    std::printf("%d %d\n", weak.expired(), Tracked::live);
    auto self = std::make_shared<Self>();
    std::printf("%ld\n", self->me().use_count());
    struct Base { virtual ~Base() { std::printf("~Base "); } };
    struct Derived : Base { ~Derived() { std::printf("~Derived "); } };
    { std::shared_ptr<Base> b = std::make_shared<Derived>(); std::unique_ptr<Base> c = std::make_unique<Derived>(); }
    std::puts("");
}

int main()
{
    vectors();
    maps();
    others();
    pointers();
    return 0;
}
