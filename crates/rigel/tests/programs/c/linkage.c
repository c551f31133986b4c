/* Weak symbols, aliases, constructors and destructors, sections, atexit in reverse order. */
#include <stdio.h>
#include <stdlib.h>

static int ready;

__attribute__((constructor)) static void before(void) { ready = 1; printf("before\n"); }
__attribute__((constructor(200))) static void first(void) { printf("first %d\n", ready); }
__attribute__((constructor(300))) static void second(void) { printf("second\n"); }
__attribute__((destructor)) static void after(void) { printf("after\n"); }
__attribute__((destructor(200))) static void last(void) { printf("last\n"); }

int real(int n) { return n * 2; }
int other_name(int n) __attribute__((alias("real")));
extern __typeof(real) weak_name __attribute__((weak, alias("real")));
int value = 5;
extern int value_alias __attribute__((alias("value")));
__attribute__((weak)) int overridable(void) { return 1; }
extern int missing(void) __attribute__((weak));
extern int missing_variable __attribute__((weak));
static int hidden_helper(int n) { return n + 100; }
extern int via_asm_name(int) __asm__("real");

static void one(void) { printf("one\n"); }
static void two(void) { printf("two\n"); }

int main(int argc, char **argv)
{
    printf("%d %d %d\n", argc, argv[0] != NULL, argv[1] == NULL);
    printf("%d %d %d %d\n", real(1), other_name(2), weak_name(3), via_asm_name(4));
    value_alias = 9;
    printf("%d %d\n", value, &value == &value_alias);
    printf("%d %d\n", overridable(), real == other_name);
    printf("%d %d\n", missing ? missing() : -1, &missing_variable == NULL);
    printf("%d\n", hidden_helper(1));
    atexit(one);
    atexit(two);
    atexit(two);
    exit(ready + 6);
}
