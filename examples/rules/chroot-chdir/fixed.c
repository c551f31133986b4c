/* The working directory is inside before anything is opened. */
#include <stdio.h>
#include <unistd.h>

static void enter(const char *root)
{
    if (chroot(root) != 0 || chdir("/") != 0)
        _exit(1);
}

int main(int argc, char **argv)
{
    FILE *settings;
    int c = 0;

    if (argc < 2)
        return 2;
    enter(argv[1]);
    settings = fopen("server.conf", "r");
    if (settings) {
        c = fgetc(settings);
        fclose(settings);
    }
    return c == 'x';
}
