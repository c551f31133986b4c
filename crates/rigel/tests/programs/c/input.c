/* Standard input: characters, lines, numbers, ungetc, end of file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    int c, n = 0;
    while ((c = getchar()) != '\n')
        n = n * 10 + (c - '0');
    printf("%d\n", n);
    char line[32];
    printf("%s", fgets(line, sizeof line, stdin));
    printf("[%s]", fgets(line, 5, stdin));
    printf("[%s]", fgets(line, sizeof line, stdin));
    int a, b;
    printf("%d ", scanf("%d %d", &a, &b));
    printf("%d\n", a + b);
    double d;
    char word[20];
    printf("%d ", scanf("%lf %9s", &d, word));
    printf("%g %s\n", d, word);
    printf("%d ", scanf("%d", &a));
    scanf("%19s", word);
    printf("%s\n", word);
    c = getc(stdin);
    ungetc('!', stdin);
    printf("%d %c\n", c, getchar());
    char *whole = NULL;
    size_t size = 0;
    ssize_t length = getline(&whole, &size, stdin);
    printf("%zd %s", length, whole);
    free(whole);
    char raw[4] = { 0 };
    printf("%zu %s\n", fread(raw, 1, 3, stdin), raw);
    int sum = 0, count = 0;
    while (scanf("%d,", &a) == 1) {
        sum += a;
        count++;
    }
    printf("%d %d\n", sum, count);
    printf("%d\n", !!feof(stdin));
    printf("%d %d\n", getchar(), fgets(line, sizeof line, stdin) == NULL);
    printf("%d %d\n", scanf("%d", &a), ferror(stdin));
    return count;
}
