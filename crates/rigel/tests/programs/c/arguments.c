// args: one --two=2 3.5 -x
/* What main is called with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[], char *envp[])
{
    printf("%d %d\n", argc, argv[argc] == NULL);
    for (int i = 1; i < argc; i++)
        printf("%s %zu\n", argv[i], strlen(argv[i]));
    argv[1][0] = 'O';
    printf("%s %g\n", argv[1], atof(argv[3]));
    printf("%d\n", envp != NULL);
    return argc;
}
