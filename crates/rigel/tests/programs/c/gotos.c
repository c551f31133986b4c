/* goto into and out of blocks, and computed goto: tables, loops of an interpreter, label differences. */
#include <stdio.h>

static int into(int n)
{
    int s = 0;
    if (n == 1)
        goto inside;
    for (int i = 0; i < 3; i++) {
        s += 10;
    inside:
        s += 1;
        if (n == 1)
            break;
        if (n == 2)
            goto out;
    }
    s += 100;
out:
    return s;
}

static int retry(void)
{
    int tries = 0;
again:
    {
        int local = tries * 2;
        tries++;
        if (local < 6)
            goto again;
        if (tries > 100)
            goto fail;
    }
    return tries;
fail:
    return -1;
}

static int search(int a[3][3], int x)
{
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            if (a[i][j] == x)
                goto found;
    return -1;
found:
    return 10 * i + j;
}

enum { PUSH, ADD, MUL, DUP, SWAP, JNZ, DEC, PRINT, HALT };

static long machine(const signed char *code)
{
    static const void *const table[] = { &&push, &&add, &&mul, &&dup, &&swap, &&jnz, &&dec, &&print, &&halt };
    long stack[16], *sp = stack, t;
    const signed char *pc = code;
#define NEXT goto *table[*pc++]
    NEXT;
push: *sp++ = *pc++; NEXT;
add: sp--; sp[-1] += sp[0]; NEXT;
mul: sp--; sp[-1] *= sp[0]; NEXT;
dup: sp[0] = sp[-1]; sp++; NEXT;
swap: t = sp[-1]; sp[-1] = sp[-2]; sp[-2] = t; NEXT;
jnz: if (sp[-1]) { pc = code + *pc; NEXT; } pc++; NEXT;
dec: sp[-1]--; NEXT;
print: printf("%ld\n", sp[-1]); NEXT;
halt: return sp[-2];
}

static int differences(int n)
{
    static const int offsets[] = { &&a - &&a, &&b - &&a, &&c - &&a };
    goto *(&&a + offsets[n]);
a: return 1;
b: return 2;
c: return 3;
}

static int threaded(int n)
{
    void *states[3] = { &&zero, &&one, &&done };
    void *next = states[0];
    int s = 0;
    goto *next;
zero:
    s = s * 2;
    next = n > 0 ? &&one : states[2];
    goto *next;
one:
    s = s * 2 + 1;
    n--;
    next = states[n % 2 ? 1 : 0];
    goto *next;
done:
    return s;
}

int main(void)
{
    printf("%d %d %d\n", into(0), into(1), into(2));
    printf("%d\n", retry());
    int grid[3][3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
    printf("%d %d\n", search(grid, 6), search(grid, 0));
    /* 6! */
    static const signed char factorial[] = {
        PUSH, 1, PUSH, 6,        /* product, n */
        DUP, SWAP, DEC, SWAP,    /* product, n-1, n */
        PRINT, PUSH, 0, ADD,
        SWAP, DUP, PRINT,
        HALT,
    };
    printf("%ld\n", machine(factorial));
    static const signed char powers[] = { PUSH, 1, PUSH, 5, SWAP, PUSH, 3, MUL, PRINT, SWAP, DEC, JNZ, 4, HALT };
    printf("%ld\n", machine(powers));
    printf("%d %d %d\n", differences(0), differences(1), differences(2));
    printf("%d %d\n", threaded(0), threaded(5));
    return 0;
}
