/* setjmp and longjmp: nested, from deep down, values, locals that are volatile. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf outer, inner;
static int depth;

static void down(int n)
{
    depth = n;
    if (n == 0)
        longjmp(outer, 42);
    down(n - 1);
}

static int zero(void)
{
    jmp_buf here;
    volatile int times = 0;
    int r = setjmp(here);
    times = times + 1;
    if (times == 1)
        longjmp(here, 0);
    return r * 10 + times;
}

static int loop(void)
{
    volatile int n = 0;
    switch (setjmp(inner)) {
    case 0: n = 1; longjmp(inner, 1);
    case 1: n += 10; longjmp(inner, 2);
    case 2: n += 100; longjmp(inner, 7);
    default: return n;
    }
}

static void thrower(int code)
{
    if (code)
        longjmp(inner, code);
    puts("no error");
}

static int protected(int code)
{
    jmp_buf saved;
    for (unsigned i = 0; i < sizeof saved; i++)
        ((char *)saved)[i] = 0;
    (void)saved;
    int r;
    if ((r = setjmp(inner)) == 0) {
        thrower(code);
        return 0;
    }
    printf("caught %d\n", r);
    return r;
}

static int compare(const void *a, const void *b)
{
    if (*(const int *)a == 13 || *(const int *)b == 13)
        longjmp(outer, 13);
    return *(const int *)a - *(const int *)b;
}

static sigjmp_buf sig;

struct frame { jmp_buf env; struct frame *up; };
static struct frame *top;

static void raise_it(int code) { longjmp(top->env, code); }

static int try_nested(int level)
{
    struct frame f;
    f.up = top;
    top = &f;
    int code = setjmp(f.env);
    if (code == 0) {
        if (level == 0)
            raise_it(1);
        else
            try_nested(level - 1);
        top = f.up;
        return 0;
    }
    top = f.up;
    printf("level %d code %d\n", level, code);
    if (top)
        raise_it(code + 1);
    return code;
}

int main(void)
{
    volatile int count = 0;
    int code = setjmp(outer);
    printf("%d %d\n", code, depth);
    if (code == 0)
        down(20);
    count++;
    if (count < 3)
        longjmp(outer, count);
    printf("%d\n", zero());
    printf("%d\n", loop());
    printf("%d %d\n", protected(0), protected(5));
    int list[] = { 4, 13, 2, 8 };
    if ((code = setjmp(outer)) == 0)
        qsort(list, 4, sizeof *list, compare);
    else
        printf("left qsort with %d\n", code);
    if (sigsetjmp(sig, 1) == 0)
        siglongjmp(sig, 3);
    else
        puts("sig");
    printf("%d\n", try_nested(3));
    while (!setjmp(inner))
        thrower(1);
    if (setjmp(inner) != 4)
        thrower(4);
    return count;
}
