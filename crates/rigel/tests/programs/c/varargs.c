/* Variable arguments of every class, lists that are copied and passed on. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct tiny { char c; };
struct pair { int a, b; };
struct floats { float x, y; };
struct mixed { long n; double d; };
struct doubles { double a, b; };
struct large { long n[5]; };
struct odd { char c[11]; };
union either { int i; double d; };

static int sum(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    int s = 0;
    while (n--)
        s += va_arg(ap, int);
    va_end(ap);
    return s;
}

static void all(const char *kinds, ...)
{
    va_list ap;
    va_start(ap, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': printf("%d ", va_arg(ap, int)); break;
        case 'u': printf("%u ", va_arg(ap, unsigned)); break;
        case 'l': printf("%ld ", va_arg(ap, long)); break;
        case 'd': printf("%g ", va_arg(ap, double)); break;
        case 'L': printf("%Lg ", va_arg(ap, long double)); break;
        case 's': printf("%s ", va_arg(ap, const char *)); break;
        case 'f': printf("%d ", va_arg(ap, int (*)(int, ...))(2, 3, 4)); break;
        case 't': { struct tiny t = va_arg(ap, struct tiny); printf("%c ", t.c); break; }
        case 'p': { struct pair p = va_arg(ap, struct pair); printf("%d,%d ", p.a, p.b); break; }
        case 'F': { struct floats p = va_arg(ap, struct floats); printf("%g,%g ", p.x, p.y); break; }
        case 'm': { struct mixed p = va_arg(ap, struct mixed); printf("%ld,%g ", p.n, p.d); break; }
        case 'D': { struct doubles p = va_arg(ap, struct doubles); printf("%g,%g ", p.a, p.b); break; }
        case 'B': { struct large p = va_arg(ap, struct large); printf("%ld,%ld ", p.n[0], p.n[4]); break; }
        case 'o': { struct odd p = va_arg(ap, struct odd); printf("%.11s ", p.c); break; }
        case 'e': { union either p = va_arg(ap, union either); printf("%g ", p.d); break; }
        case 'w': { __int128 w = va_arg(ap, __int128); printf("%lx%016lx ", (long)(w >> 64), (long)w); break; }
        }
    puts("");
    va_end(ap);
}

static int vsum(int n, va_list ap)
{
    int s = 0;
    while (n-- > 0)
        s += va_arg(ap, int);
    return s;
}

static void twice(int n, ...)
{
    va_list a, b;
    va_start(a, n);
    va_copy(b, a);
    int first = va_arg(a, int);
    printf("%d %d %d\n", first, vsum(n - 1, a), vsum(n, b));
    va_end(a);
    va_end(b);
    va_start(a, n);
    printf("%d\n", va_arg(a, int));
    va_end(a);
}

static void take(va_list *ap, int kind)
{
    if (kind)
        printf("%g ", va_arg(*ap, double));
    else
        printf("%d ", va_arg(*ap, int));
}

static void byref(const char *kinds, ...)
{
    va_list ap;
    va_start(ap, kinds);
    for (; *kinds; kinds++)
        take(&ap, *kinds == 'd');
    puts("");
    va_end(ap);
}

static int format(char *to, size_t n, const char *f, ...)
{
    va_list ap;
    va_start(ap, f);
    int length = vsnprintf(to, n, f, ap);
    va_end(ap);
    return length;
}

static void report(const char *f, ...)
{
    va_list ap, again;
    va_start(ap, f);
    va_copy(again, ap);
    printf("<");
    vprintf(f, ap);
    printf("> ");
    vfprintf(stdout, f, again);
    puts("");
    va_end(again);
    va_end(ap);
}

static int scan(const char *s, const char *f, ...)
{
    va_list ap;
    va_start(ap, f);
    int n = vsscanf(s, f, ap);
    va_end(ap);
    return n;
}

static double many(double a, int b, double c, int n, ...)
{
    va_list ap;
    va_start(ap, n);
    double s = a + b + c;
    for (int i = 0; i < n; i++)
        s = s * 2 + va_arg(ap, double) - va_arg(ap, int);
    va_end(ap);
    return s;
}

int main(void)
{
    printf("%d %d %d\n", sum(0), sum(3, 1, 2, 3), sum(10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    char c = 'x';
    short s = -7;
    float f = 2.5f;
    _Bool b = 1;
    all("iiidi", c, s, b, f, -1);
    all("ilsdLu", 1, 2L, "three", 4.0, 5.5L, 6u);
    all("LdLdLi", 1.25L, 2.0, 3.25L, 4.0, 5.25L, 6);
    all("iiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8);
    all("dddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.);
    struct pair p = { 1, -2 };
    struct large big = { { 10, 20, 30, 40, 50 } };
    struct odd odd;
    memcpy(odd.c, "abcdefghijk", 11);
    union either e = { .d = 0.5 };
    all("tpFmDBoei", (struct tiny){ 'T' }, p, (struct floats){ 1.5f, 2.5f }, (struct mixed){ 7, 0.25 },
        (struct doubles){ 3, 4 }, big, odd, e, 99);
    all("iiiiimiDpB", 1, 2, 3, 4, 5, (struct mixed){ 8, 0.125 }, 6, (struct doubles){ 5, 6 }, p, big);
    all("BiBpd", big, 1, big, p, 2.0);
    all("wwi", (__int128)1 << 100, -(__int128)2, 5);
    all("ff", sum, sum);
    twice(4, 10, 20, 30, 40);
    byref("iddidi", 1, 2.5, 3.5, 4, 5.5, 6);
    char text[10];
    int n = format(text, sizeof text, "%s-%05d-%c", "hello", 42, 'z');
    printf("%d %s\n", n, text);
    report("%d %s %.2f %Lg %c %lld", 1, "two", 3.0, 4.0L, '5', 6ll);
    int x, y;
    char word[8];
    printf("%d", scan("12 abc -7", "%d %7s %d", &x, word, &y));
    printf(" %d %s %d\n", x, word, y);
    printf("%g\n", many(1.5, 2, 3.5, 5, 1., 1, 2., 2, 3., 3, 4., 4, 5., 5));
    return 0;
}
