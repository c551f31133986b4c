/* GNU extensions: statement expressions, typeof, __builtin functions. */
#include <alloca.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MAX(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define CONTAINER(p, T, m) ((T *)((char *)(p) - offsetof(T, m)))
#define KIND(x) _Generic((x), int: "int", double: "double", char *: "string", default: "other")

struct outer { int a; struct inner { int b; } in; };

static int side;
static int effect(void) { return ++side; }

static int classify(int n)
{
    if (n < 0)
        return -1;
    switch (n & 1) {
    case 0: return 0;
    case 1: return 1;
    }
    __builtin_unreachable();
}

static int sum_on_stack(int n)
{
    int *p = alloca(n * sizeof *p), s = 0;
    for (int i = 0; i < n; i++)
        p[i] = i;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}

static void asm_never(int n)
{
    if (n > 1000)
        __asm__ volatile("nop");
}

static int cleaned;
static void cleanup(int *p) { cleaned += *p; printf("cleanup %d\n", *p); }

static int scoped(int n)
{
    __attribute__((cleanup(cleanup))) int a = n;
    if (n == 2)
        return n * 10;
    for (int i = 0; i < 2; i++) {
        __attribute__((cleanup(cleanup))) int b = n + i;
        if (i == 1)
            break;
    }
    return 1;
}

int main(void)
{
    int r;
    unsigned ur;
    long lr;
    signed char cr;
    printf("%d ", __builtin_add_overflow(INT_MAX, 1, &r));
    printf("%d ", r);
    printf("%d ", __builtin_add_overflow(1, 2, &r));
    printf("%d\n", r);
    printf("%d ", __builtin_sub_overflow(0u, 1u, &ur));
    printf("%u ", ur);
    printf("%d ", __builtin_mul_overflow(1L << 40, 1L << 40, &lr));
    printf("%ld ", lr);
    printf("%d ", __builtin_add_overflow(100, 100, &cr));
    printf("%d ", cr);
    printf("%d ", __builtin_mul_overflow(-3, 5u, &lr));
    printf("%ld ", lr);
    printf("%d ", __builtin_smul_overflow(1 << 20, 1 << 20, &r));
    printf("%d\n", __builtin_uadd_overflow(UINT_MAX, 1, &ur));
    printf("%d %d %d %d\n", __builtin_clz(1), __builtin_clzll(1ull << 40), __builtin_ctz(8), __builtin_ctzll(1ull << 50));
    printf("%d %d %d\n", __builtin_popcount(0xff0f), __builtin_popcountll(-1ull), __builtin_parity(7));
    printf("%d %d %d\n", __builtin_ffs(0), __builtin_ffs(12), __builtin_clrsb(-1));
    printf("%x %x %llx\n", __builtin_bswap16(0x1234), __builtin_bswap32(0x12345678), (long long)__builtin_bswap64(0x123456789abcdef0ll));
    printf("%x %x\n", __builtin_rotateleft32(0x80000001u, 4), __builtin_bitreverse8(0x12));
    if (__builtin_expect(effect() == 1, 1))
        puts("expected");
    printf("%d %d\n", __builtin_constant_p(5), __builtin_constant_p(effect()));
    printf("%d\n", __builtin_choose_expr(1, 10, effect()));
    printf("%d %d\n", __builtin_types_compatible_p(int, const int), __builtin_types_compatible_p(int, long));
    printf("%d\n", side);
    printf("%d %d %d\n", classify(-4), classify(4), classify(5));
    printf("%d\n", MAX(effect(), 1));
    printf("%d %g\n", ({ int x = 3; x * x; }), ({ double y = 1; y / 4; }));
    struct outer o = { 1, { 2 } };
    printf("%d\n", CONTAINER(&o.in, struct outer, in)->a);
    char *text = "t";
    printf("%s %s %s %s\n", KIND(1), KIND(1.0), KIND(text), KIND(1u));
    printf("%d\n", sum_on_stack(100));
    for (int i = 0; i < 3; i++) {
        char *p = __builtin_alloca(10);
        strcpy(p, "alloca");
        printf("%s", p + i);
    }
    puts("");
    asm_never(1);
    printf("%zu %d\n", __builtin_strlen("abc"), __builtin_memcmp("a", "b", 1) < 0);
    char buffer[8];
    __builtin_memset(buffer, 'x', 7);
    buffer[7] = 0;
    puts(buffer);
    printf("%g %g %d\n", __builtin_inf(), __builtin_fabs(-2), __builtin_isnan(__builtin_nan("")));
    printf("%zu %zu\n", __builtin_object_size(buffer, 0), offsetof(struct outer, in.b));
    printf("%d\n", scoped(1));
    printf("%d %d\n", scoped(2), cleaned);
    printf("%d\n", 5 ?: effect());
    printf("%d\n", 0 ?: 7);
    printf("%zu %zu\n", sizeof(void), _Alignof(double));
    __auto_type v = 2.5;
    printf("%g\n", v);
    _Static_assert(sizeof(int) == 4, "int");
    {
        __label__ local;
        goto local;
        puts("skipped");
    local:;
    }
    printf("%s %d\n", __func__, __LINE__);
    int assumed = effect();
    __builtin_assume(assumed > 0);
    __builtin_prefetch(buffer);
    int array[4] = { 1, 2, 3, 4 };
    int *aligned = __builtin_assume_aligned(array, 4);
    printf("%d\n", aligned[3]);
    return 0;
}
