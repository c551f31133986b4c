/* The code of a run that calls _Exit: no handler runs, what is written stays written. */
#include <stdio.h>
#include <stdlib.h>

static void never(void) { printf("never\n"); }

int main(void)
{
    atexit(never);
    printf("line\n");
    fflush(stdout);
    _Exit(300);
}
