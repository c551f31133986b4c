/* Structures of every ABI class: passed, returned, through pointers, in the middle of other arguments. */
#include <stdio.h>
#include <string.h>

#define BYTES(N)                                                                          \
    struct b##N { unsigned char c[N]; };                                                  \
    static struct b##N make##N(int seed)                                                  \
    {                                                                                     \
        struct b##N s;                                                                    \
        for (int i = 0; i < N; i++)                                                       \
            s.c[i] = (unsigned char)(seed * 7 + i * 13);                                  \
        return s;                                                                         \
    }                                                                                     \
    static unsigned take##N(int before, struct b##N s, double between, struct b##N t)     \
    {                                                                                     \
        unsigned sum = (unsigned)before + (unsigned)between;                              \
        for (int i = 0; i < N; i++)                                                       \
            sum = sum * 31 + s.c[i] + 2u * t.c[i];                                        \
        s.c[0] = 0;                                                                       \
        return sum;                                                                       \
    }                                                                                     \
    static void test##N(void)                                                             \
    {                                                                                     \
        struct b##N a = make##N(3);                                                       \
        struct b##N (*make)(int) = make##N;                                               \
        unsigned (*take)(int, struct b##N, double, struct b##N) = take##N;                \
        printf("%d %u %u\n", N, take##N(1, a, 2.5, make##N(4)), take(1, make(3), 2, a));  \
    }
BYTES(1) BYTES(2) BYTES(3) BYTES(4) BYTES(5) BYTES(6) BYTES(7) BYTES(8) BYTES(9) BYTES(10)
BYTES(11) BYTES(12) BYTES(13) BYTES(14) BYTES(15) BYTES(16) BYTES(17) BYTES(20) BYTES(24)
BYTES(31) BYTES(32) BYTES(33) BYTES(40)

#define KIND(NAME, FIELDS, FORMAT, ...)                                                   \
    struct NAME { FIELDS };                                                               \
    static void show_##NAME(struct NAME s) { printf(#NAME " " FORMAT "\n", __VA_ARGS__); } \
    static struct NAME same_##NAME(int a, struct NAME s, float b, struct NAME t)          \
    {                                                                                     \
        return a > b ? s : t;                                                             \
    }
#define USE(NAME, ...)                                                                    \
    do {                                                                                  \
        struct NAME s = __VA_ARGS__, zero;                                                \
        memset(&zero, 0, sizeof zero);                                                    \
        struct NAME (*f)(int, struct NAME, float, struct NAME) = same_##NAME;             \
        show_##NAME(same_##NAME(1, s, 0.5f, zero));                                       \
        show_##NAME(f(0, zero, 0.5f, s));                                                 \
        struct NAME list[2] = { zero, same_##NAME(1, s, 0, s) };                          \
        show_##NAME(list[1]);                                                             \
    } while (0)

KIND(one_float, float x;, "%g", s.x)
KIND(two_floats, float x; float y;, "%g %g", s.x, s.y)
KIND(three_floats, float x; float y; float z;, "%g %g %g", s.x, s.y, s.z)
KIND(four_floats, float v[4];, "%g %g %g %g", s.v[0], s.v[1], s.v[2], s.v[3])
KIND(five_floats, float v[5];, "%g %g", s.v[0], s.v[4])
KIND(one_double, double x;, "%g", s.x)
KIND(two_doubles, double x; double y;, "%g %g", s.x, s.y)
KIND(three_doubles, double x; double y; double z;, "%g %g %g", s.x, s.y, s.z)
KIND(int_float, int i; float f;, "%d %g", s.i, s.f)
KIND(float_int, float f; int i; double d;, "%g %d %g", s.f, s.i, s.d)
KIND(double_int, double d; int i;, "%g %d", s.d, s.i)
KIND(int_double, char c; double d;, "%d %g", s.c, s.d)
KIND(floats_int, float a; float b; int i;, "%g %g %d", s.a, s.b, s.i)
KIND(long_double, long double l;, "%Lg", s.l)
KIND(ld_int, long double l; int i;, "%Lg %d", s.l, s.i)
KIND(pointer, const char *p; unsigned char n;, "%s %d", s.p, s.n)
KIND(ints, char c; short s; int i; long l;, "%d %d %d %ld", s.c, s.s, s.i, s.l)
KIND(nested, struct { short a; struct { char b[3]; } in[2]; } v; int w;, "%d %d %d %d", s.v.a, s.v.in[0].b[0],
     s.v.in[1].b[2], s.w)
KIND(with_union, union { int i; float f; } u; int k;, "%d %d", s.u.i, s.k)
KIND(union_double, union { long i; double d; } u; float k;, "%g %g", s.u.d, s.k)
KIND(fields, unsigned a : 5; int b : 20; unsigned long c : 50;, "%d %d %ld", s.a, s.b, (long)s.c)
KIND(wide, __int128 w;, "%lx %lx", (long)(s.w >> 64), (long)s.w)
KIND(big, int a[20];, "%d %d", s.a[0], s.a[19])
struct __attribute__((aligned(32))) aligned { int a; };
struct __attribute__((packed)) packed { char c; int i; short s; };

static int packed(struct packed p) { return p.c + p.i * 2 + p.s * 3; }
static struct packed unpack(int i) { return (struct packed){ (char)i, i * 100, (short)-i }; }
static int aligned(int x, struct aligned a, int y) { return x + 2 * a.a + 3 * y; }
struct empty {};
static int with_empty(int a, struct empty e, int b) { (void)e; return a - b; }

/* more arguments than registers */
static long crowd(int a, struct ints b, long c, struct two_doubles d, struct int_float e, short f, struct b16 g,
                  struct big h, float i, struct double_int j, char k, struct four_floats l, struct ints m)
{
    return a + b.i + c + (long)d.y + e.i + f + g.c[15] + h.a[19] + (long)i + j.i + k + (long)l.v[3] + m.l;
}

static struct big build(int n)
{
    struct big b;
    for (int i = 0; i < 20; i++)
        b.a[i] = n * i;
    return b;
}

static struct big more(struct big b, int n)
{
    if (n > 0) {
        b.a[0]++;
        return more(b, n - 1);
    }
    return b;
}

int main(void)
{
    test1(); test2(); test3(); test4(); test5(); test6(); test7(); test8(); test9(); test10();
    test11(); test12(); test13(); test14(); test15(); test16(); test17(); test20(); test24();
    test31(); test32(); test33(); test40();
    USE(one_float, { 1.5f });
    USE(two_floats, { 1.5f, -2.5f });
    USE(three_floats, { 1.5f, -2.5f, 3.5f });
    USE(four_floats, { { 1, 2, 3, 4 } });
    USE(five_floats, { { 1, 2, 3, 4, 5 } });
    USE(one_double, { 0.1 });
    USE(two_doubles, { 0.1, -0.2 });
    USE(three_doubles, { 0.1, -0.2, 1e100 });
    USE(int_float, { -7, 0.5f });
    USE(float_int, { 0.5f, -8, 0.25 });
    USE(double_int, { 0.75, -9 });
    USE(int_double, { 'c', 0.125 });
    USE(floats_int, { 1, 2, 3 });
    USE(long_double, { 1.0L / 3 });
    USE(ld_int, { 1.25L, 6 });
    USE(pointer, { "pointer", 200 });
    USE(ints, { 1, -2, 3, -4 });
    USE(nested, { { 1, { { { 2, 3, 4 } }, { { 5, 6, 7 } } } }, 8 });
    USE(with_union, { { .f = 1.0f }, 2 });
    USE(union_double, { { .d = 5.5 }, 2 });
    USE(fields, { 17, -5000, 1ul << 49 });
    USE(wide, { ((__int128)5 << 64) + 6 });
    USE(big, { { 1, [19] = 20 } });
    printf("%d %d\n", packed((struct packed){ 1, 2, 3 }), packed(unpack(5)));
    printf("%d %d\n", aligned(1, (struct aligned){ 2 }, 3), with_empty(9, (struct empty){}, 4));
    printf("%ld\n", crowd(1, (struct ints){ 1, 2, 3, 4 }, 5, (struct two_doubles){ 6, 7 }, (struct int_float){ 8, 9 },
                          10, make16(11), build(12), 13.9f, (struct double_int){ 14, 15 }, 16,
                          (struct four_floats){ { 17, 18, 19, 20 } }, (struct ints){ 21, 22, 23, 24 }));
    struct big b = build(2);
    struct big c = more(b, 10);
    printf("%d %d %d\n", b.a[0], c.a[0], build(3).a[5]);
    b = more(more(b, 1), build(1).a[4]);
    printf("%d\n", b.a[0]);
    return 0;
}
