/* GNU vectors: arithmetic, comparisons, elements, shuffles, conversions, as arguments. */
#include <stdio.h>
#include <string.h>

typedef int int4 __attribute__((vector_size(16)));
typedef float float4 __attribute__((vector_size(16)));
typedef double double2 __attribute__((vector_size(16)));
typedef unsigned char byte16 __attribute__((vector_size(16)));
typedef long long4 __attribute__((vector_size(32)));
typedef short short2 __attribute__((vector_size(4)));

static void show(const char *name, int4 v) { printf("%s %d %d %d %d\n", name, v[0], v[1], v[2], v[3]); }
static float4 scale(float4 v, float k) { return v * k; }
static long4 wide(long4 a, long4 b) { return a * b + 1; }

static int4 global = { 1, 2, 3, 4 };
struct holder { int tag; float4 v; };

static float dot(float4 a, float4 b)
{
    float4 p = a * b;
    return p[0] + p[1] + p[2] + p[3];
}

int main(void)
{
    int4 a = { 10, -20, 30, -40 }, b = global;
    show("sum", a + b);
    show("difference", a - b);
    show("product", a * b);
    show("quotient", a / b);
    show("rest", a % b);
    show("and", a & b);
    show("not", ~a);
    show("negative", -a);
    show("shift", b << b);
    show("right", a >> 1);
    show("less", a < b);
    show("equal", a == a);
    show("scalar", a + 5);
    a[2] = 7;
    a[1] += 3;
    show("element", a);
    for (int i = 0; i < 4; i++)
        b[i] = b[i] * i;
    show("loop", b);
    a += b;
    a *= 2;
    show("compound", a);
    show("shuffle", __builtin_shufflevector(a, b, 0, 4, 3, 7));
    show("convert", __builtin_convertvector((float4){ 1.5f, -2.5f, 3.9f, 4 }, int4));
    float4 f = scale((float4){ 1, 2, 3, 4 }, 0.5f);
    printf("%g %g %g %g\n", f[0], f[1], f[2], f[3]);
    printf("%g\n", dot(f, f));
    double2 d = { 1.5, 2.5 };
    d = d / 2 - 1;
    printf("%g %g\n", d[0], d[1]);
    byte16 bytes;
    memset(&bytes, 200, sizeof bytes);
    bytes += 100;
    printf("%d %d %zu\n", bytes[0], bytes[15], sizeof bytes);
    long4 l = wide((long4){ 1, 2, 3, 4 }, (long4){ 5, 6, 7, 8 });
    printf("%ld %ld %ld %ld\n", l[0], l[1], l[2], l[3]);
    int4 bits = (int4)f;
    printf("%x %x\n", bits[0], bits[3]);
    struct holder h = { 1, f }, copy = h;
    copy.v += 1;
    printf("%g %g\n", h.v[0], copy.v[3]);
    short2 s = { 1, -1 };
    s += s;
    printf("%d %d\n", s[0], s[1]);
    int raw[4];
    memcpy(raw, &a, sizeof raw);
    printf("%d %d\n", raw[0], raw[3]);
    int4 *p = &a;
    (*p)[0] = 99;
    show("pointer", *p);
    int4 list[2] = { a, b };
    show("list", list[1]);
    return 0;
}
