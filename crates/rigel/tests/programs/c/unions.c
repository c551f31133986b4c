/* Unions, reading a value through another type, and bytes of objects. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

union number {
    float f;
    uint32_t u;
    int32_t i;
    uint8_t b[4];
};

union wide {
    double d;
    uint64_t u;
    struct {
        uint32_t lo, hi;
    };
    uint16_t h[4];
};

struct tagged {
    enum { INT, REAL, TEXT, PAIR } tag;
    union {
        long i;
        double r;
        const char *t;
        struct {
            short a, b;
        } p;
    };
};

static void show(struct tagged v)
{
    switch (v.tag) {
    case INT: printf("int %ld\n", v.i); break;
    case REAL: printf("real %g\n", v.r); break;
    case TEXT: printf("text %s\n", v.t); break;
    case PAIR: printf("pair %d %d\n", v.p.a, v.p.b); break;
    }
}

union biggest {
    char c;
    char text[13];
    long long l[3];
};

static union number negate(union number n)
{
    n.u ^= 0x80000000u;
    return n;
}

static union wide swap(union wide w)
{
    uint32_t t = w.lo;
    w.lo = w.hi;
    w.hi = t;
    return w;
}

static float rsqrt(float x)
{
    union number n = { .f = x };
    n.u = 0x5f3759df - (n.u >> 1);
    return n.f * (1.5f - x * 0.5f * n.f * n.f);
}

int main(void)
{
    union number n = { 1.0f };
    printf("%08x %d %02x%02x%02x%02x\n", n.u, n.i, n.b[0], n.b[1], n.b[2], n.b[3]);
    n.b[3] = 0xc0;
    printf("%g %08x\n", n.f, n.u);
    n = negate(n);
    printf("%g\n", n.f);
    n.i = -1;
    printf("%u %d\n", n.u, n.f != n.f);
    union wide w = { .d = 3.141592653589793 };
    printf("%016llx %08x %08x %04x\n", (unsigned long long)w.u, w.lo, w.hi, w.h[3]);
    w = swap(swap(w));
    printf("%.17g\n", w.d);
    show((struct tagged){ INT, .i = -5 });
    show((struct tagged){ REAL, .r = 2.5 });
    show((struct tagged){ TEXT, .t = "hello" });
    show((struct tagged){ PAIR, .p = { 3, -4 } });
    union biggest b;
    memset(&b, 0, sizeof b);
    strcpy(b.text, "abcdefgh");
    printf("%zu %c %llx %lld\n", sizeof b, b.c, (unsigned long long)b.l[0], b.l[1]);
    printf("%.6f\n", rsqrt(4.0f));

    /* bytes of any object */
    struct { int a; short s; char c; } record = { 0x01020304, 0x0506, 7 };
    unsigned char bytes[sizeof record];
    memcpy(bytes, &record, sizeof record);
    printf("%d %d %d %d %d %d %d\n", bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6]);
    unsigned char *p = (unsigned char *)&record.a;
    p[3] ^= 0xff;
    printf("%x\n", (unsigned)record.a);

    /* a pointer goes through an integer, and through bytes */
    int x = 42, *q;
    uintptr_t address = (uintptr_t)&x;
    printf("%d\n", *(int *)address);
    printf("%d\n", *(int *)(address + 4 - 4));
    int *src = &x;
    char copy[sizeof src];
    for (size_t i = 0; i < sizeof src; i++)
        copy[i] = ((char *)&src)[i];
    memcpy(&q, copy, sizeof q);
    *q += 1;
    printf("%d %d\n", x, (address & 3) == 0);
    union { int *p; uintptr_t u; } pu = { &x };
    printf("%d\n", *(int *)pu.u);

    double d = -0.0;
    uint64_t u;
    memcpy(&u, &d, 8);
    printf("%016llx\n", (unsigned long long)u);
    float fs[2] = { 1.5f, -2.25f };
    uint32_t us[2];
    memcpy(us, fs, sizeof us);
    printf("%x %x\n", us[0], us[1]);
    union { long double l; unsigned char b[16]; } ld = { .l = -1.5L };
    for (int i = 0; i < 10; i++)
        printf("%02x", ld.b[i]);
    puts("");
    union { _Bool b; char c; } flag = { .c = 1 };
    printf("%d\n", flag.b);
    return 0;
}
