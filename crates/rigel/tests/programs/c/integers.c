/* Integers of every width: wrap-around, shifts, promotions, conversions, __int128. */
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>

enum small { A, B = 5, C, D = -1 };
enum huge { H = 0x100000000ll, I };

static void print128(const char *name, __int128 v)
{
    char text[41];
    int n = 40;
    text[n] = 0;
    bool negative = v < 0;
    unsigned __int128 u = negative ? -(unsigned __int128)v : (unsigned __int128)v;
    do
        text[--n] = (char)('0' + (int)(u % 10));
    while (u /= 10);
    if (negative)
        text[--n] = '-';
    printf("%s %s\n", name, text + n);
}

static unsigned char wrap8(unsigned char c) { return c + 1; }
static unsigned short wrap16(unsigned short c) { return c * c; }
static signed char narrow(int n) { return (signed char)n; }
static int widen(signed char c) { return c; }
static unsigned widen_unsigned(signed char c) { return (unsigned)c; }
static bool truth(int n) { return n; }
static bool truth_double(double d) { return d; }
static bool truth_pointer(void *p) { return p; }

#define SIZES(T) printf(#T " %zu %d\n", sizeof(T), (T)-1 < 0)

int main(void)
{
    SIZES(char); SIZES(signed char); SIZES(unsigned char); SIZES(short); SIZES(unsigned short); SIZES(int);
    SIZES(unsigned); SIZES(long); SIZES(unsigned long); SIZES(long long); SIZES(__int128); SIZES(unsigned __int128);
    SIZES(_Bool); SIZES(size_t); SIZES(enum small); SIZES(enum huge); SIZES(wchar_t);

    printf("%d %d %u\n", wrap8(255), wrap16(40000), UINT_MAX + 1u);
    printf("%d %d %d\n", narrow(200), widen(narrow(200)), widen_unsigned(-1) == UINT_MAX);
    printf("%d %d %d %d\n", truth(256), truth(0), truth_double(0.1), truth_pointer(0));
    unsigned u = 5;
    int i = -3;
    printf("%d %d %u %d\n", i < (int)u, u > i, u + i, (short)40000);
    printf("%d %d\n", -7 / 2, -7 % 2);
    printf("%d %d %d\n", 7 / -2, 7 % -2, -7 >> 1);
    printf("%u %u\n", -7u / 2, -7u % 10);
    unsigned char c = 0xf0;
    printf("%d %d %d %d\n", c << 4, ~c, (unsigned char)~c, -c);
    signed char sc = -128;
    printf("%d %d %d\n", -sc, sc - 1, (signed char)(sc - 1));
    printf("%d %d\n", (unsigned char)300 + (signed char)200, 'a' - 'A');
    short s = 32767;
    s++;
    printf("%d\n", s);
    s = -1;
    s >>= 3;
    printf("%d %d\n", s, (unsigned short)s >> 3);
    c += 100;
    printf("%d\n", c);
    c *= 3;
    c -= 200;
    c /= 7;
    c %= 11;
    c <<= 3;
    c ^= 0xaa;
    printf("%d\n", c);
    uint64_t x = 0x123456789abcdef0ull;
    printf("%" PRIx64 " %" PRIx64 " %" PRIu64 "\n", x << 12, x >> 20, x * x);
    printf("%" PRId64 " %" PRId64 "\n", (int64_t)x >> 60, (int64_t)(x << 3) >> 60);
    printf("%x %x\n", (unsigned)x, (unsigned)(x >> 32));
    printf("%" PRIu32 " %" PRIu8 " %" PRId16 "\n", (uint32_t)-1, (uint8_t)-1, (int16_t)0x8000);
    long long ll = LLONG_MIN;
    printf("%lld %lld %llu\n", ll + 1, ll / 2, (unsigned long long)ll);
    printf("%d %d %d %d\n", A, B, C, D);
    printf("%lld %lld\n", (long long)H, (long long)I);
    enum small e = B;
    e++;
    printf("%d %d\n", e == C, e | 8);

    __int128 w = (__int128)LLONG_MAX * LLONG_MAX;
    print128("product", w);
    print128("minus", -w);
    print128("quotient", w / 1000000007);
    print128("rest", -w % 1000000007);
    print128("shift", w >> 64);
    print128("left", (__int128)1 << 126);
    print128("or", ((__int128)0xdeadbeef << 64) | 0xcafe);
    unsigned __int128 uw = -1;
    print128("top", (__int128)(uw >> 3));
    uw += 2;
    print128("wrapped", (__int128)uw);
    printf("%d %d\n", w > 0, (unsigned __int128)-w > (unsigned __int128)w);
    printf("%.6g %.6g\n", (double)w, (double)(float)-w);
    print128("back", (__int128)1e30);
    uw = ~(unsigned __int128)0;
    printf("%.10g %llx\n", (double)uw, (unsigned long long)(uw / 3));
    print128("small", (__int128)(signed char)-3);

    int a = 5;
    int b = a++ * 2 + --a;
    printf("%d %d\n", a, b);
    printf("%d %d %d\n", a > 3 && b < 3, a || (b = 0), !a);
    printf("%d\n", a > 3 ? b > 3 ? 1 : 2 : 3);
    printf("%d\n", (1, 2, a));
    a = b = 7;
    a ^= b ^= a ^= 0;
    printf("%d %d\n", a, b);
    bool flag = 5;
    flag += 3;
    printf("%d ", flag);
    flag--;
    printf("%d ", flag);
    flag |= 4;
    flag = flag - 1;
    printf("%d %d\n", flag, !flag);
    bool flags[3] = { 2, 0, -1 };
    printf("%d%d%d\n", flags[0], flags[1], flags[2]);
    unsigned n = 32;
    printf("%u %llu\n", 1u << (n - 1), 1ull << n);
    for (unsigned k = 0; k < 32; k += 7)
        printf("%x %d ", 0x80000001u >> k, INT_MIN >> k);
    puts("");
    unsigned _BitInt(24) odd = 0xffffff;
    odd++;
    printf("%u\n", (unsigned)odd);
    _BitInt(7) seven = 63;
    seven = seven / 2;
    printf("%d\n", (int)seven);
    printf("%lu %d\n", sizeof 'a', 'ab');
    printf("%d\n", 0b1011 + 017 + 0x1F);
    return -1;
}
