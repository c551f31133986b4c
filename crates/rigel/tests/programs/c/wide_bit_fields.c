/* Bit-fields in a storage unit of more than 128 bits: what assignments to them yield. */
#include <stdio.h>

#pragma pack(push, 1)
struct fields {
    unsigned a : 10;
    unsigned b : 25;
    int c : 24;
    unsigned d : 3;
    int e : 8;
    int f : 1;
    int g : 28;
    unsigned h : 31;
    unsigned i : 6;
};
#pragma pack(pop)

static struct fields s;

static int touch(int x)
{
    s.c = x;
    return x;
}

int main(void)
{
    volatile int y = 5;
    unsigned r = (s.a = (unsigned)(y * 300)) + (unsigned)touch(3);
    printf("%u %u\n", r, s.a);
    int q = (s.g = -y) * touch(2);
    printf("%d %d\n", q, s.g);
    q = (s.e += y) < touch(6);
    printf("%d %d\n", q, s.e);
    q = (s.e -= 200) + touch(6);
    printf("%d %d\n", q, s.e);
    q = (int)s.i++ + touch(1);
    q += (int)(--s.h % 1000) + touch(2);
    printf("%d %u %u %zu\n", q, s.i, s.h, sizeof s);
    struct fields t = s, *p = &t;
    q = (p->c = y * 1000000) / touch(-7);
    printf("%d %d %d\n", q, p->c, s.c);
    q = (p->f = y & 1) + touch(0);
    printf("%d %d\n", q, p->f);
    return 0;
}
