// <algorithm>, <numeric>, iterators.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <numeric>
#include <vector>

template <class C> void show(const char *name, const C &c)
{
    std::printf("%s:", name);
    for (const auto &x : c)
        std::printf(" %d", int(x));
    std::puts("");
}

struct Range {
    int from, to;
    struct It { int i; int operator*() const { return i; } It &operator++() { ++i; return *this; } bool operator!=(const It &o) const { return i != o.i; } };
    It begin() const { return { from }; }
    It end() const { return { to }; }
};

int main()
{
    std::vector<int> v;
    unsigned seed = 7;
    for (int i = 0; i < 200; i++) {
        seed = seed * 1664525u + 1013904223u;
        v.push_back(int(seed >> 24));
    }
    auto w = v;
    std::sort(w.begin(), w.end());
    std::printf("%d %d %d\n", std::is_sorted(w.begin(), w.end()), w.front(), w.back());
    std::sort(w.begin(), w.end(), std::greater<int>());
    std::printf("%d %d\n", w.front(), w.back());
    std::stable_sort(w.begin(), w.end(), [](int a, int b) { return a % 10 < b % 10; });
    std::printf("%d %d %d\n", w[0], w[100], w[199]);
    std::printf("%d %d\n", std::accumulate(v.begin(), v.end(), 0), std::accumulate(v.begin(), v.begin() + 3, 1, std::multiplies<>()));
    std::printf("%td %td\n", std::count_if(v.begin(), v.end(), [](int x) { return x % 2; }), std::find(v.begin(), v.end(), v[20]) - v.begin());
    std::printf("%d %d\n", *std::max_element(v.begin(), v.end()), *std::min_element(v.begin(), v.end()));
    std::vector<int> a{ 1, 2, 3, 4, 5, 6, 7, 8 }, out;
    std::transform(a.begin(), a.end(), std::back_inserter(out), [](int x) { return x * x; });
    show("squares", out);
    std::copy_if(a.begin(), a.end(), std::back_inserter(out), [](int x) { return x > 6; });
    show("copied", out);
    out.erase(std::remove_if(out.begin(), out.end(), [](int x) { return x % 2; }), out.end());
    show("even", out);
    std::reverse(a.begin(), a.end());
    std::rotate(a.begin(), a.begin() + 2, a.end());
    show("rotated", a);
    std::partition(a.begin(), a.end(), [](int x) { return x < 4; });
    std::printf("%d\n", a[0] < 4 && a[2] < 4 && a[3] >= 4);
    std::nth_element(v.begin(), v.begin() + 100, v.end());
    int mid = v[100];
    std::sort(v.begin(), v.end());
    std::printf("%d\n", mid == v[100]);
    auto it = std::lower_bound(v.begin(), v.end(), 100);
    std::printf("%d %d\n", *it >= 100, std::binary_search(v.begin(), v.end(), *it));
    v.erase(std::unique(v.begin(), v.end()), v.end());
    std::printf("%zu\n", v.size());
    int array[] = { 3, 1, 2 };
    do
        std::printf("%d%d%d ", array[0], array[1], array[2]);
    while (std::next_permutation(std::begin(array), std::end(array)));
    std::puts("");
    std::iota(a.begin(), a.end(), 10);
    std::fill_n(a.begin(), 2, 0);
    std::swap(a[3], a[4]);
    show("iota", a);
    std::printf("%d %d %d\n", std::min(3, 2), std::max({ 1, 9, 4 }), std::clamp(15, 0, 10));
    std::printf("%d %d\n", std::all_of(a.begin(), a.end(), [](int x) { return x >= 0; }), std::any_of(a.begin(), a.end(), [](int x) { return x > 100; }));
    std::vector<int> heap{ 3, 1, 4, 1, 5, 9, 2, 6 };
    std::make_heap(heap.begin(), heap.end());
    std::sort_heap(heap.begin(), heap.end());
    show("heap", heap);
    std::vector<int> merged;
    std::merge(a.begin(), a.begin() + 1, heap.begin(), heap.end(), std::back_inserter(merged));
    show("merged", merged);
    std::printf("%d %d\n", std::gcd(12, 18), std::inner_product(heap.begin(), heap.end(), heap.begin(), 0));
    std::partial_sum(heap.begin(), heap.end(), heap.begin());
    show("sums", heap);
    int s = 0;
    for (int x : Range{ 1, 11 })
        s += x;
    std::printf("%d\n", s);
    for (auto i = a.rbegin(); i != a.rend(); i += 2)
        std::printf("%d ", *i);
    std::puts("");
    std::printf("%d\n", std::equal(a.begin(), a.end(), a.begin()));
    return 0;
}
