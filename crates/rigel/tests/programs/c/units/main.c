/* Several units: statics of one name, extern data, a call without a prototype, a weak default. */
#include "shared.h"
#include <stdio.h>

static int counter = 10;
static int next(void) { return ++counter; }

int f();
int overridden(void) { return 2; }
int shared_total = 5;

int main(void)
{
    struct big b = { { 1, 2, 3, 4, 5 } };
    printf("%d %d\n", next(), other_next());
    printf("%d\n", f(b, 'c', 2.5f));
    printf("%d %d\n", use_overridden(), use_default());
    add(7);
    printf("%d %s %d\n", shared_total, names[1], table[1](6));
    struct big c = make_big(3);
    printf("%ld %ld\n", c.n[0], c.n[4]);
    printf("%d\n", inlined(4) + other_inlined(5));
    return shared_total;
}
