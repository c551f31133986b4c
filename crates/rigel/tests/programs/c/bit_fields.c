/* Bit-fields: signs, widths, units, what an assignment yields. */
#include <stdio.h>
#include <stdbool.h>
#include <string.h>

struct mixed {
    unsigned a : 3;
    signed b : 5;
    int c : 9;
    unsigned d : 15;
    bool e : 1;
    unsigned long long f : 40;
    long long g : 33;
};

struct __attribute__((packed)) tight {
    unsigned a : 7;
    unsigned b : 30;
    signed c : 11;
    unsigned char d;
    unsigned long long e : 61;
    short f;
};

struct zero {
    unsigned a : 5;
    unsigned : 0;
    unsigned b : 5;
    int : 7;
    int c : 6;
    char d;
};

union view {
    struct {
        unsigned lo : 4, mid : 8, hi : 20;
    };
    unsigned all;
    signed sign : 3;
};

enum color { RED, GREEN, BLUE };
struct chars {
    char a : 4;
    signed char b : 4;
    unsigned char c : 8;
    enum color color : 2;
    unsigned short d : 12;
};

static struct mixed global = { 5, -3, 200, 30000, true, 0x123456789aull, -5 };
static struct chars table[] = { { 1, -1, 255, BLUE, 4000 }, { .d = 17, .b = 3 } };

static void show(struct mixed m)
{
    printf("%u %d %d %u %d %llx %lld\n", m.a, m.b, m.c, m.d, m.e, (unsigned long long)m.f, (long long)m.g);
}

static struct tight make(int n)
{
    struct tight t = { n, n * 1000, -n, n, (unsigned long long)n << 40, -n };
    return t;
}

int main(void)
{
    struct mixed m = { 0 };
    show(m);
    show(global);
    int y;
    y = m.a = 13;
    printf("%d %u\n", y, m.a);
    y = m.b = 17;
    printf("%d %d\n", y, m.b);
    m.c = -256;
    printf("%d\n", m.c--);
    m.c = 255;
    m.b = 15;
    m.a = 7;
    printf("%u %d\n", m.a++, m.a);
    m.a = 0;
    printf("%u ", --m.a);
    printf("%u ", m.a--);
    printf("%u\n", m.a);
    m.a += 3;
    m.d = 40000;
    m.d *= 3;
    m.d >>= 2;
    m.f = ~0ull;
    m.f -= 5;
    m.g = -(1ll << 32);
    m.e = 42;
    show(m);
    m.f <<= 3;
    m.g /= 3;
    m.e ^= 1;
    m.b &= 6;
    m.b |= 16;
    show(m);
    printf("%d\n", (m.d = 1, m.c = 5, m.e = 2));
    printf("%d %d\n", (m.a = 9) == 1, (m.b = -1) < 0);
    printf("%d\n", m.a - 2 < 0);
    printf("%zu %zu %zu %zu\n", sizeof m, sizeof(struct tight), sizeof(struct zero), sizeof(struct chars));

    struct tight t = make(77);
    printf("%u %u %d %d %llx %d\n", t.a, t.b, t.c, t.d, (unsigned long long)t.e, t.f);
    t.a++;
    t.b = 0x3fffffff;
    t.b++;
    t.c = 1023;
    t.e -= 1;
    t.d--;
    printf("%u %u %d %d %llx %d\n", t.a, t.b, t.c, t.d, (unsigned long long)t.e, t.f);
    unsigned char raw[sizeof t];
    memcpy(raw, &t, sizeof t);
    for (size_t i = 0; i < 5; i++)
        printf("%02x", raw[i]);
    puts("");
    struct tight *p = &t, list[3];
    for (int i = 0; i < 3; i++) {
        list[i] = *p;
        list[i].c = p->c - 500 * i;
        list[i].e += i;
    }
    printf("%d %d %d %llx\n", list[0].c, list[1].c, list[2].c, (unsigned long long)list[2].e);

    struct zero z = { 31, 30, -32, 'z' };
    z.a += 2;
    z.b -= 31;
    z.c++;
    printf("%u %u %d %c\n", z.a, z.b, z.c, z.d);

    union view v = { .all = 0xdeadbeef };
    printf("%x %x %x %d\n", v.lo, v.mid, v.hi, v.sign);
    v.mid = 0;
    v.sign = -4;
    printf("%08x\n", v.all);

    for (int i = 0; i < 2; i++)
        printf("%d %d %d %d %d\n", table[i].a, table[i].b, table[i].c, table[i].color, table[i].d);
    table[1].color = GREEN;
    table[1].c += 300;
    table[1].b = -8;
    table[1].b <<= 0;
    printf("%d %d %d\n", table[1].color, table[1].c, table[1].b);
    for (m.a = 0; m.a < 6; m.a++)
        printf("%d", m.a);
    puts("");
    switch (m.a) {
    case 6: puts("six"); break;
    default: puts("other");
    }
    struct mixed copy = m, *q = &copy;
    q->g = 1ll << 31;
    q->g += q->g - 1;
    show(*q);
    return copy.a;
}
