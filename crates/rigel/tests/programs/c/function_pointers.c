/* Tables, callbacks, pointers returned and compared, qsort and bsearch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*binary)(int, int);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }

static const struct {
    const char *name;
    binary apply;
} operators[] = { { "add", add }, { "sub", sub }, { "mul", &mul } };

static binary pick(char c)
{
    return c == '+' ? add : c == '-' ? sub : c == '*' ? mul : NULL;
}

static int (*(*picker)(char))(int, int) = pick;

struct person {
    char name[16];
    int age;
};

static int by_age(const void *a, const void *b)
{
    const struct person *x = a, *y = b;
    return (x->age > y->age) - (x->age < y->age);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct person *)a)->name, ((const struct person *)b)->name);
}

static int int_down(const void *a, const void *b)
{
    return *(const int *)b - *(const int *)a;
}

static int string_up(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void each(const int *from, const int *to, void (*visit)(int, void *), void *context)
{
    while (from != to)
        visit(*from++, context);
}

static void sum(int x, void *context) { *(long *)context += x; }
static void show(int x, void *context) { printf("%s%d", (char *)context, x); }

struct shape {
    const struct vtable *v;
    double a, b;
};
struct vtable {
    double (*area)(const struct shape *);
    const char *(*name)(void);
};
static double square_area(const struct shape *s) { return s->a * s->a; }
static double rect_area(const struct shape *s) { return s->a * s->b; }
static const char *square_name(void) { return "square"; }
static const char *rect_name(void) { return "rect"; }
static const struct vtable square = { square_area, square_name };
static const struct vtable rect = { .name = rect_name, .area = rect_area };

typedef struct state (*step)(int);
struct state { step next; };
static struct state even(int n);
static struct state odd(int n) { printf("odd %d\n", n); return (struct state){ n > 3 ? NULL : even }; }
static struct state even(int n) { printf("even %d\n", n); return (struct state){ odd }; }

int main(void)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        printf("%s %d %d\n", operators[i].name, operators[i].apply(7, 3), (*operators[i].apply)(-2, 5));
    printf("%d %d %d\n", pick('+')(1, 2), (*picker)('-')(1, 2), picker('*')(3, 4));
    printf("%d %d\n", pick('?') == NULL, pick('+') == add);

    struct person people[] = { { "dora", 31 }, { "carl", 25 }, { "anna", 44 }, { "bert", 9 } };
    size_t n = sizeof people / sizeof *people;
    qsort(people, n, sizeof *people, by_age);
    for (size_t i = 0; i < n; i++)
        printf("%s %d\n", people[i].name, people[i].age);
    qsort(people, n, sizeof *people, by_name);
    struct person key = { "carl", 0 };
    struct person *found = bsearch(&key, people, n, sizeof *people, by_name);
    printf("%s %d at %td\n", found->name, found->age, found - people);
    strcpy(key.name, "zoe");
    printf("%d\n", bsearch(&key, people, n, sizeof *people, by_name) == NULL);

    int numbers[100];
    unsigned seed = 12345;
    for (int i = 0; i < 100; i++) {
        seed = seed * 1103515245u + 12345u;
        numbers[i] = (int)(seed >> 16 & 0x3ff);
    }
    qsort(numbers, 100, sizeof *numbers, int_down);
    for (int i = 1; i < 100; i++)
        if (numbers[i - 1] < numbers[i])
            printf("not sorted at %d\n", i);
    printf("%d %d %d\n", numbers[0], numbers[50], numbers[99]);
    const char *words[] = { "pear", "apple", "fig", "quince", "date" };
    qsort(words, 5, sizeof *words, string_up);
    for (int i = 0; i < 5; i++)
        printf("%s ", words[i]);
    puts("");
    qsort(words, 0, sizeof *words, string_up);

    long total = 0;
    each(numbers, numbers + 10, sum, &total);
    printf("%ld\n", total);
    each(numbers, numbers + 5, show, ", ");
    puts("");

    struct shape shapes[] = { { &square, 2, 0 }, { &rect, 2, 3.5 } };
    for (int i = 0; i < 2; i++)
        printf("%s %g\n", shapes[i].v->name(), shapes[i].v->area(shapes + i));

    struct state s = { even };
    for (int i = 0; s.next; i++)
        s = s.next(i);

    void *erased = (void *)mul;
    printf("%d\n", ((binary)erased)(6, 7));
    binary table[2][2] = { { add, sub }, { mul, add } };
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            printf("%d ", table[i][j](10, 4));
    puts("");
    return (table[1][0] == mul) + 2 * (table[0][0] != table[1][1]);
}
