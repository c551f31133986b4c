/* strtol and friends at their edges, sscanf, and conversions back. */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void l(const char *s, int base)
{
    char *end;
    errno = 0;
    long v = strtol(s, &end, base);
    printf("[%s] %d: %ld at %td errno %d\n", s, base, v, end - s, errno);
}

static void ul(const char *s, int base)
{
    char *end;
    errno = 0;
    unsigned long v = strtoul(s, &end, base);
    printf("[%s] %d: %lu at %td errno %d\n", s, base, v, end - s, errno);
}

static void d(const char *s)
{
    char *end;
    errno = 0;
    double v = strtod(s, &end);
    printf("[%s]: %.17g at %td errno %d\n", s, v, end - s, errno);
}

int main(void)
{
    l("42", 10); l("  -42abc", 10); l("+7", 10); l("", 10); l("abc", 10); l("-", 10); l("0x1F", 16); l("0x1F", 0);
    l("017", 0); l("0x", 16); l("0xg", 0); l("zZ", 36); l("102", 2); l("9223372036854775807", 10);
    l("9223372036854775808", 10); l("-9223372036854775808", 10); l("-9223372036854775809", 10);
    l("99999999999999999999999", 10); l("\t\n 5", 10); l("08", 0);
    ul("18446744073709551615", 10); ul("18446744073709551616", 10); ul("-1", 10); ul("ffffffffffffffff", 16);
    printf("%d %ld %lld %g\n", atoi(" -12x"), atol("99"), atoll("-5000000000"), atof("2.5e3x"));
    printf("%lld %llu\n", strtoll("-0x10", NULL, 0), strtoull("777", NULL, 8));
    d("1.5"); d("  -2.5e-3x"); d("1e"); d("1e+"); d(".5"); d("."); d("5."); d("0x1.8p3"); d("0x"); d("inf");
    d("-INFINITY"); d("nan"); d("1e400"); d("-1e400"); d("1e-400"); d("2.2250738585072011e-308"); d("");
    d("0.1"); d("123456789012345678901234567890"); d("1e23"); d("9007199254740993"); d("4.9e-324"); d("infx");
    printf("%g %Lg\n", (double)strtof("3.4e38", NULL), strtold("1e300", NULL) > 1 ? 2.5L : 0);

    int a, b, n;
    unsigned u;
    long big;
    short h;
    char c, word[20], other[20];
    float f;
    double g;
    printf("%d", sscanf("12 -7", "%d%d", &a, &b));
    printf(" %d %d\n", a, b);
    printf("%d", sscanf("x=5, y=6", "x=%d, y=%d", &a, &b));
    printf(" %d %d\n", a, b);
    printf("%d\n", sscanf("x=5; y=6", "x=%d, y=%d", &a, &b));
    printf("%d", sscanf("hello world 3.5 2.25", "%s %19s %f %lf", word, other, &f, &g));
    printf(" %s %s %g %g\n", word, other, f, g);
    printf("%d", sscanf("0x1f 077 ff 10", "%i %i %x %u", &a, &b, &u, &n));
    printf(" %d %d %u %d\n", a, b, u, n);
    printf("%d", sscanf("abc123def", "%3s%d%n", word, &a, &n));
    printf(" %s %d %d\n", word, a, n);
    printf("%d", sscanf("key: value", "%[a-z]: %[^\n]", word, other));
    printf(" %s %s\n", word, other);
    printf("%d", sscanf("12345", "%2d%3d", &a, &b));
    printf(" %d %d\n", a, b);
    printf("%d", sscanf(" x", "%c%*c", &c));
    printf(" %d\n", c);
    printf("%d", sscanf("7 8 9", "%d %*d %d", &a, &b));
    printf(" %d %d\n", a, b);
    printf("%d %d %d\n", sscanf("", "%d", &a), sscanf("abc", "%d", &a), sscanf("5%", "%d%%", &a));
    printf("%d", sscanf("99999 -5000000000", "%hd %ld", &h, &big));
    printf(" %d %ld\n", h, big);
    printf("%d", sscanf("1e2x", "%lfx%n", &g, &n));
    printf(" %g\n", g);

    char text[64];
    printf("%d ", snprintf(text, 5, "%d", 1234567));
    printf("%s\n", text);
    printf("%d\n", snprintf(NULL, 0, "%s %d", "abc", 12));
    sprintf(text, "%05d|%-5d|%+d|% d|%x|%X|%#x|%o|%#o", 42, 42, 42, 42, 255, 255, 255, 8, 8);
    puts(text);
    printf("%5s|%-5s|%.2s|%5.1s|%c|%%|%p\n", "ab", "ab", "abc", "abc", 'x', NULL);
    printf("%hhd %hd %ld %lld %zu %jd %td\n", (char)-1, (short)-2, -3L, -4LL, (size_t)5, (intmax_t)-6, (ptrdiff_t)7);
    printf("%hhu %hu %u\n", (unsigned char)255, (unsigned short)65535, UINT_MAX);
    printf("%.3d|%8.3d|%-8.3d|%08d|%.0d|%+.2d\n", 5, 5, 5, -5, 0, 7);
    printf("%x %lx %llX %#lo\n", UINT_MAX, ULONG_MAX, 0xabcdefull, 64ul);
    printf("%s %.*s %*d\n", "str", 2, "cut", -6, 9);
    printf("%2$s %1$d\n", 1, "two");
    printf("%d%n\n", 12345, &n);
    printf("%d\n", n);
    printf("%ls %lc\n", L"wide", L'w');
    printf("%s\n", (char *)"");
    return 0;
}
