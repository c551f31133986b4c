/* Everything is there before the start is over. */
#include <stdlib.h>

void init_done(void);
void wait_for_event(void);

static char *buffer;
static int *table;

static void make_buffer(void)
{
    buffer = malloc(4096);
    if (!buffer)
        exit(1);
}

static void init(void)
{
    table = calloc(64, sizeof *table);
    if (!table)
        exit(1);
    make_buffer();
    init_done();
}

int main(void)
{
    init();
    for (;;) {
        wait_for_event();
        table[0]++;
        buffer[0]++;
    }
}
