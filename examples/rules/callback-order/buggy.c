/* The handler comes too late: the loop is running. */
struct dispatcher { void (*handler)(int); int running; };

void dispatcher_new(struct dispatcher *d);
void on_event(struct dispatcher *d, void (*handler)(int));
void dispatcher_run(struct dispatcher *d);
void dispatcher_stop(struct dispatcher *d);

static int seen;

static void log_event(int event) { seen += event; }
static void count_event(int event) { (void)event; seen++; }

static void setup(struct dispatcher *d)
{
    dispatcher_new(d);
    on_event(d, count_event);
}

int main(int argc, char **argv)
{
    struct dispatcher d;

    (void)argv;
    setup(&d);
    dispatcher_run(&d);
    if (argc > 1)
        on_event(&d, log_event); /* too late */
    dispatcher_stop(&d);
    return seen;
}
