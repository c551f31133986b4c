/* stdlib.h and stdio.h: memory, numbers, sorting, time-free functions, files in memory. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int main(void)
{
    int *p = malloc(4 * sizeof *p);
    for (int i = 0; i < 4; i++)
        p[i] = i + 1;
    p = realloc(p, 8 * sizeof *p);
    for (int i = 4; i < 8; i++)
        p[i] = p[i - 4] * 10;
    for (int i = 0; i < 8; i++)
        printf("%d ", p[i]);
    puts("");
    p = realloc(p, 2 * sizeof *p);
    printf("%d %d\n", p[0], p[1]);
    free(p);
    free(NULL);
    int *z = calloc(3, sizeof *z);
    printf("%d%d%d\n", z[0], z[1], z[2]);
    free(z);
    char *aligned = aligned_alloc(64, 128);
    printf("%d\n", (int)((unsigned long)aligned % 64));
    free(aligned);
    void *memory;
    printf("%d\n", posix_memalign(&memory, 32, 100));
    free(memory);

    printf("%d %ld %lld\n", abs(-5), labs(-6L), llabs(-7LL));
    div_t d = div(-17, 5);
    ldiv_t ld = ldiv(100, 7);
    printf("%d %d %ld %ld\n", d.quot, d.rem, ld.quot, ld.rem);
    srand(1);
    int r = rand(), s = rand();
    srand(1);
    printf("%d %d\n", r == rand(), s == rand());
    printf("%d\n", r >= 0 && r <= RAND_MAX);
    srand(42);
    for (int i = 0; i < 5; i++)
        printf("%d ", rand());
    puts("");
    printf("%d\n", getenv("RIGEL_SURELY_NOT_SET") == NULL);
    errno = 0;
    printf("%d\n", errno);
    assert(errno == 0);

    putchar('a');
    putc('b', stdout);
    fputc('c', stdout);
    fputs("def\n", stdout);
    fprintf(stdout, "%s\n", "fprintf");
    fwrite("raw bytes\n", 1, 10, stdout);
    fflush(stdout);
    fprintf(stderr, "not compared\n");
    perror("not compared");
    char buffer[16];
    printf("%d\n", sprintf(buffer, "%d", 12));

    wchar_t wide[] = L"wide \x263a";
    printf("%zu %zu %d\n", sizeof wide / sizeof *wide, wcslen(wide), (int)wide[5]);
    wchar_t copy[10];
    wcscpy(copy, wide);
    printf("%d %d\n", wcscmp(copy, wide), (int)L'\xff');
    unsigned short u16[] = u"ab";
    unsigned u32[] = U"ab";
    printf("%zu %zu %d %d\n", sizeof u16, sizeof u32, u16[1], u32[1]);
    printf("%s\n", u8"utf8");

    /* a list on the heap */
    struct node { struct node *next; char *name; } *head = NULL;
    for (int i = 0; i < 5; i++) {
        struct node *n = malloc(sizeof *n);
        n->name = malloc(8);
        snprintf(n->name, 8, "n%d", i * i);
        n->next = head;
        head = n;
    }
    while (head) {
        struct node *next = head->next;
        printf("%s ", head->name);
        free(head->name);
        free(head);
        head = next;
    }
    puts("");
    return EXIT_FAILURE + 4;
}
