/* Compound literals, designated initialisers, flexible arrays, globals with addresses in them. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point { int x, y; };
struct line { struct point from, to; const char *label; };
struct matrix { int rows, cols; double cells[2][3]; };

static int norm1(struct point p) { return abs(p.x) + abs(p.y); }
static int sum(const int *a, int n) { int s = 0; while (n--) s += *a++; return s; }

static int sparse[10] = { [2] = 5, 6, [8] = 1, [0] = 9, [4 ... 6] = 7 };
static struct line lines[] = {
    { { 1, 2 }, { 3, 4 }, "first" },
    { .to.x = 5, .from = { .y = 6 }, .label = "second" },
    [3] = { .from.x = 1, 2, { 7 } },
};
static struct matrix identity = { .rows = 2, .cols = 3, .cells = { [0][0] = 1, [1] = { [1] = 1 } } };
static char text[] = "abc", padded[8] = "xyz", exact[3] = "pqr", *pointer = "literal";
static char texts[][4] = { "a", "bb", "ccc" };
static const char *const names[] = { [1] = "one", [0] = "zero", [2] = "tw" "o" };

/* addresses and offsets */
static int numbers[5] = { 1, 2, 3, 4, 5 };
static int *middle = &numbers[2], *last = numbers + 4, **indirect = &middle;
static int *end = &numbers[5];
static struct point *second_to = &lines[1].to;
static int *deep = &lines[3].to.x;
static char *tail = "hello world" + 6;
static ptrdiff_t offset = offsetof(struct line, to.y);
static const void *self = &self;
static struct node { struct node *next; int value; } ring[3] = { { &ring[1], 1 }, { &ring[2], 2 }, { &ring[0], 3 } };
static struct point *anonymous = &(struct point){ 11, 12 };
static int *array = (int[]){ 21, 22, 23 };
static unsigned char low = (unsigned char)300;
static double ratio = 1.0 / 3;
static long big = 1L << 40;
static int tentative;
static int tentative;
extern int later;

struct packet { unsigned short length; unsigned char kind; char data[]; };
static struct packet ready = { 3, 1, { 'a', 'b', 'c' } };
struct vector { size_t n; struct point points[]; };

static struct packet *make(const char *s)
{
    size_t n = strlen(s);
    struct packet *p = malloc(sizeof *p + n + 1);
    p->length = (unsigned short)n;
    p->kind = 2;
    memcpy(p->data, s, n + 1);
    return p;
}

static struct point *fresh(int i) { return &(struct point){ i, i } == 0 ? 0 : anonymous; }

int main(void)
{
    for (int i = 0; i < 10; i++)
        printf("%d ", sparse[i]);
    puts("");
    for (int i = 0; i < 4; i++)
        printf("%d %d %d %d %s\n", lines[i].from.x, lines[i].from.y, lines[i].to.x, lines[i].to.y,
               lines[i].label ? lines[i].label : "-");
    for (int i = 0; i < identity.rows; i++)
        printf("%g %g %g\n", identity.cells[i][0], identity.cells[i][1], identity.cells[i][2]);
    printf("%zu %zu %d %.3s %s\n", sizeof text, sizeof padded, padded[7], exact, pointer);
    printf("%s%s%s %s %s %s\n", texts[0], texts[1], texts[2], names[0], names[1], names[2]);

    printf("%d %d %d %td\n", *middle, *last, **indirect, end - numbers);
    second_to->y = 99;
    printf("%d %d %s %td %d\n", lines[1].to.y, *deep, tail, offset, self == &self);
    struct node *n = ring;
    for (int i = 0; i < 7; i++, n = n->next)
        printf("%d", n->value);
    printf("\n%d %d %d %d\n", anonymous->x, anonymous->y, array[2], low);
    printf("%.17g %ld %d %d\n", ratio, big, tentative, later);

    printf("%d %d\n", norm1((struct point){ -3, 4 }), norm1((struct point){ .y = 2 }));
    printf("%d\n", sum((int[]){ 1, 2, 3, 4 }, 4));
    printf("%d\n", sum((int[5]){ [1] = 10, 20 }, 5));
    struct point *p = &(struct point){ 1, 2 };
    p->x += 10;
    printf("%d %d\n", p->x, ((struct point){ 5, 6 }).y);
    (struct point){ 0, 0 }.x = 3;
    for (int i = 0; i < 3; i++) {
        int *q = (int[3]){ i, i + 1 };
        q[2] += q[0] * q[1];
        printf("%d ", q[2]);
    }
    printf("%d\n", fresh(3)->x);
    char *s = (char[]){ "mutable" };
    s[0] = 'M';
    printf("%s %c\n", s, "literal"[2]);
    struct line local = { .label = "local", .from = *p, .to = (struct point){ p->x * 2, later } };
    printf("%d %d %d %d %s\n", local.from.x, local.from.y, local.to.x, local.to.y, local.label);
    int partial[6] = { local.from.x, [3] = later };
    printf("%d\n", sum(partial, 6));
    struct { int a; struct { int b, c; }; union { int d; float e; }; } anon = { 1, { 2, 3 }, { .d = 4 } };
    printf("%d %d %d %d\n", anon.a, anon.b, anon.c, anon.d);

    printf("%d %c%c%c %zu\n", ready.length, ready.data[0], ready.data[1], ready.data[2], sizeof ready);
    struct packet *packet = make("flexible");
    printf("%d %s %zu\n", packet->length, packet->data, offsetof(struct packet, data));
    free(packet);
    struct vector *v = malloc(sizeof *v + 4 * sizeof(struct point));
    v->n = 4;
    for (size_t i = 0; i < v->n; i++)
        v->points[i] = (struct point){ (int)i, (int)(i * i) };
    printf("%d %d\n", v->points[3].y, norm1(v->points[2]));
    free(v);
    struct point swap[2] = { { 1, 2 }, { 3, 4 } };
    struct point t = swap[0];
    swap[0] = swap[1];
    swap[1] = t;
    printf("%d%d%d%d\n", swap[0].x, swap[0].y, swap[1].x, swap[1].y);
    return 0;
}

int later = 17;
