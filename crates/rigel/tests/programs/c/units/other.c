#include "shared.h"

static int counter = 100;
static int next(void) { return --counter; }
static int square(int n) { return n * n; }
static int cube(int n) { return n * n * n; }

const char *names[] = { "zero", "one" };
int (*const table[])(int) = { square, cube };

int other_next(void) { return next(); }
int f(struct big b, int c, double d) { return (int)b.n[4] + c + (int)(d * 2); }
__attribute__((weak)) int overridden(void) { return 1; }
__attribute__((weak)) int defaulted(void) { return 3; }
int use_overridden(void) { return overridden(); }
int use_default(void) { return defaulted(); }
void add(int n) { shared_total += n; }
int other_inlined(int n) { return inlined(n); }

struct big make_big(long n)
{
    struct big b;
    for (int i = 0; i < 5; i++)
        b.n[i] = n * i + 1;
    return b;
}
