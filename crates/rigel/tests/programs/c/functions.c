// flags: -std=gnu89
/* Recursion, static locals, K&R definitions, calls without a prototype, many parameters. */
#include <stdio.h>

static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }
static int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static int counter(void)
{
    static int n = 10;
    static int calls;
    calls++;
    return n++ * 100 + calls;
}

static int *place(void)
{
    static int here[3] = { 1, 2, 3 };
    return here;
}

static int other(int reset)
{
    static int n = 5;
    if (reset)
        n = 0;
    return n++;
}

old_add(a, b)
    int a, b;
{
    return a + b;
}

double old_mixed(c, f, s, p)
    char c;
    float f;
    short s;
    char *p;
{
    return c + f + s + p[0];
}

int undeclared();

static void hanoi(int n, char from, char to, char via, int *moves)
{
    if (n == 0)
        return;
    hanoi(n - 1, from, via, to, moves);
    ++*moves;
    if (n == 3)
        printf("%c->%c ", from, to);
    hanoi(n - 1, via, to, from, moves);
}

static int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, double k, double l, double m,
                double n, double o, double p, double q, double r, double s, double t, char u, short v, long w)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + (int)(k + l + m + n + o + p + q + r + s + t) + u + v + (int)w;
}

static void permute(char *s, int k, int n, int *count)
{
    if (k == n) {
        if (++*count % 10 == 0)
            printf("%s ", s);
        return;
    }
    for (int i = k; i < n; i++) {
        char t = s[k]; s[k] = s[i]; s[i] = t;
        permute(s, k + 1, n, count);
        t = s[k]; s[k] = s[i]; s[i] = t;
    }
}

inline int inlined(int n) { return n * 3; }
extern int inlined(int n);
static inline __attribute__((always_inline)) int always(int n) { return n * 5; }
static __attribute__((noinline)) int never(int n) { return n * 7; }
static int in_order(int n) { printf("%d ", n); return n; }
static void nothing(void) {}
static const volatile int constant = 5;

int main(void)
{
    printf("%d\n", depth(20000));
    printf("%d %d\n", is_even(1000), is_odd(777));
    printf("%d %ld\n", ackermann(2, 5), fibonacci(18));
    counter();
    counter();
    printf("%d\n", counter());
    place()[1] = 20;
    ++*place();
    printf("%d %d %d\n", place()[0], place()[1], place()[2]);
    other(0);
    printf("%d ", other(0));
    printf("%d\n", other(1));
    printf("%d %g\n", old_add(3, 4), old_mixed('a', 0.5f, 2, "b"));
    printf("%d %d\n", undeclared(5, 2.5), undeclared(1, 1.0));
    int moves = 0;
    hanoi(5, 'A', 'C', 'B', &moves);
    printf("%d\n", moves);
    printf("%d\n", many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 'a', -5, 1000));
    int count = 0;
    char letters[] = "abcde";
    permute(letters, 0, 5, &count);
    printf("%d\n", count);
    printf("%d %d %d\n", inlined(2), always(2), never(2));
    int x = in_order(1) + in_order(2) * in_order(3);
    printf("%d\n", x);
    nothing();
    printf("%d\n", constant * 2);
    volatile int v = 3;
    v += v * v;
    printf("%d\n", v);
    const int *__restrict r = place();
    printf("%d\n", *r);
    return 0;
}

int undeclared(int a, double b) { return a * (int)(b * 2); }
