/* string.h, ctype.h, and the rest of what text needs. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void sign(int n) { printf("%d ", (n > 0) - (n < 0)); }

int main(void)
{
    char a[32] = "hello", b[32];
    printf("%zu %zu\n", strlen(a), strnlen(a, 3));
    strcpy(b, a);
    strcat(b, ", world");
    printf("%s\n", b);
    strncpy(b, "xyz", 5);
    printf("%s|%c\n", b, b[6]);
    strncpy(b, "longer text", 4);
    printf("%.4s\n", b);
    strncat(strcpy(b, "ab"), "cdefg", 3);
    printf("%s\n", b);
    sign(strcmp("a", "b")); sign(strcmp("b", "a")); sign(strcmp("a", "a")); sign(strcmp("a", "ab"));
    sign(strcmp("\xff", "a")); sign(strncmp("abc", "abd", 2)); sign(strncmp("abc", "abd", 3));
    sign(strcasecmp("HeLLo", "hEllO")); sign(strncasecmp("ABx", "aby", 2)); sign(memcmp("a\0b", "a\0c", 3));
    puts("");
    printf("%s %s %d\n", strchr("hello", 'l'), strrchr("hello", 'l'), strchr("hello", 'z') == NULL);
    printf("%zu\n", strlen(strchr("hello", 0)));
    printf("%s %d %s\n", strstr("hello world", "o w"), strstr("abc", "d") == NULL, strstr("abc", ""));
    printf("%zu %zu %s\n", strspn("112233abc", "123"), strcspn("hello, world", " ,"), strpbrk("key=value", "=:"));
    char list[] = " one,two;;three ";
    for (char *t = strtok(list, " ,;"); t; t = strtok(NULL, " ,;"))
        printf("[%s]", t);
    puts("");
    char path[] = "/usr//bin", *save;
    for (char *t = strtok_r(path, "/", &save); t; t = strtok_r(NULL, "/", &save))
        printf("[%s]", t);
    puts("");
    memset(b, '-', 10);
    b[10] = 0;
    memcpy(b + 2, "mid", 3);
    printf("%s\n", b);
    strcpy(b, "0123456789");
    memmove(b + 2, b, 5);
    printf("%s\n", b);
    strcpy(b, "0123456789");
    memmove(b, b + 3, 5);
    printf("%s\n", b);
    printf("%s %d\n", (char *)memchr("hello", 'l', 5), memchr("hello", 'o', 4) == NULL);
    char *copy = strdup("duplicate"), *part = strndup("duplicate", 3);
    copy[0] = 'D';
    printf("%s %s\n", copy, part);
    free(copy);
    free(part);
    printf("%s\n", stpcpy(b, "end") - 3);

    for (int c = 0; c < 128; c += 9)
        printf("%d%d%d%d%d%d%d%d%d%d%d ", !!isalpha(c), !!isdigit(c), !!isalnum(c), !!isspace(c), !!isupper(c),
               !!islower(c), !!ispunct(c), !!isprint(c), !!iscntrl(c), !!isxdigit(c), !!isgraph(c));
    puts("");
    for (const char *s = "Mixed Case 123!"; *s; s++)
        printf("%c%c", toupper(*s), tolower(*s));
    puts("");
    printf("%d %d %d\n", isalpha(EOF), toupper(EOF), isblank('\t') != 0);

    /* literals */
    const char *same = "shared", *also = "shared";
    printf("%d %zu %zu\n", strcmp(same, also), sizeof "abc", sizeof "");
    printf("%s\n", "concat" "enated" " \x41\102\tq\"\\" "\u00e9");
    printf("%d %d\n", "\377"[0], (unsigned char)"\xfe"[0]);
    const char embedded[] = "a\0b";
    printf("%zu %zu\n", sizeof embedded, strlen(embedded));
    for (const char *p = "pointers"; *p; p += 2)
        putchar(*p);
    puts(&"skip this"[5]);
    printf("%s %s\n", strerror(2), strerror(22));
    return 0;
}
