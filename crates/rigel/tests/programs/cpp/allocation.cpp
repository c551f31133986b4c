// new and delete: arrays, placement, class operators, nothrow, alignment, global replacement.
#include <cstdio>
#include <cstdlib>
#include <new>

struct Pooled {
    int n;
    static int news, deletes;
    Pooled(int k) : n(k) { if (k < 0) throw k; }
    static void *operator new(std::size_t size) { news++; return std::malloc(size); }
    static void operator delete(void *p) { deletes++; std::free(p); }
    static void *operator new(std::size_t size, int tag, const char *what) { std::printf("%s %d %zu\n", what, tag, size); return std::malloc(size); }
    static void operator delete(void *p, int, const char *) { std::puts("undone"); std::free(p); }
};
int Pooled::news, Pooled::deletes;

struct Big { long data[16]; Big() { for (int i = 0; i < 16; i++) data[i] = i; } ~Big() { std::printf("~Big%ld ", data[15]); } };
struct alignas(64) Aligned { char c = 'x'; };
struct Virtual { virtual ~Virtual() { std::printf("~Virtual "); } };
struct Derived : Virtual { int *p = new int[3]{ 1, 2, 3 }; ~Derived() override { std::printf("%d ~Derived ", p[2]); delete[] p; } };

static int count = 0;
void *counted(std::size_t n) { count++; return std::malloc(n); }

template <class T> class Arena {
    alignas(T) unsigned char room[sizeof(T) * 4];
    int n = 0;
public:
    template <class... A> T *make(A... a) { return new (room + sizeof(T) * n++) T(a...); }
    ~Arena() { while (n) reinterpret_cast<T *>(room + sizeof(T) * --n)->~T(); }
};
struct Item { int k; Item(int a, int b) : k(a * b) {} ~Item() { std::printf("-%d ", k); } };

int main(int argc, char **)
{
    int *p = new int(5), *q = new int[10](), *r = new int[argc + 2]{ 7, 8 };
    std::printf("%d %d %d %d\n", *p, q[9], r[1], r[2]);
    delete p;
    delete[] q;
    delete[] r;
    int *null = nullptr;
    delete null;
    delete[] null;
    Big *b = new Big[2];
    std::printf("%ld\n", b[1].data[7]);
    delete[] b;
    std::puts("");
    Pooled *a = new Pooled(3);
    std::printf("%d\n", a->n);
    delete a;
    try { new Pooled(-1); } catch (int n) { std::printf("threw %d\n", n); }
    std::printf("%d %d\n", Pooled::news, Pooled::deletes);
    Pooled *tagged = new (5, "tag") Pooled(4);
    delete tagged;
    try { new (6, "bad") Pooled(-6); } catch (int) {}
    int *nt = new (std::nothrow) int(9);
    std::printf("%d\n", nt ? *nt : -1);
    delete nt;
    Aligned *al = new Aligned, *list = new Aligned[3];
    std::printf("%d %d %c\n", int(reinterpret_cast<std::size_t>(al) % 64), int(reinterpret_cast<std::size_t>(list + 1) % 64), list[2].c);
    delete al;
    delete[] list;
    Virtual *v = new Derived;
    delete v;
    Virtual *vs = new Derived[1];
    delete[] static_cast<Derived *>(vs);
    std::puts("");
    {
        Arena<Item> arena;
        arena.make(2, 3);
        std::printf("%d\n", arena.make(4, 5)->k);
    }
    std::puts("");
    int (*grid)[3] = new int[2][3]{ { 1, 2, 3 }, { 4, 5, 6 } };
    std::printf("%d\n", grid[1][2]);
    delete[] grid;
    char **names = new char *[2];
    names[0] = new char[4]{ 'a', 'b', 'c', 0 };
    std::printf("%s\n", names[0]);
    delete[] names[0];
    delete[] names;
    void *raw = ::operator new(16);
    ::operator delete(raw);
    try {
        std::size_t huge = std::size_t(-1) / 2;
        char *c = new char[huge];
        delete[] c;
    } catch (const std::bad_alloc &) {
        std::puts("bad_alloc");
    }
    return 0;
}
