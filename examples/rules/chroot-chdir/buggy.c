/* A server that goes into its directory, and reads its settings with the working directory outside of it. */
#include <stdio.h>
#include <unistd.h>

static void enter(const char *root)
{
    if (chroot(root) != 0)
        _exit(1);
}

int main(int argc, char **argv)
{
    FILE *settings;
    int c = 0;

    if (argc < 2)
        return 2;
    enter(argv[1]);
    settings = fopen("server.conf", "r"); /* outside of the new root */
    if (settings) {
        c = fgetc(settings);
        fclose(settings);
    }
    if (chdir("/") != 0)
        return 1;
    return c == 'x';
}
