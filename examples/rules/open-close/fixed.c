/* Whoever gives up does not go on. */
struct conn;

struct conn *conn_open(const char *host);
int conn_send(struct conn *c, const char *text);
void conn_close(struct conn *c);

static void give_up(struct conn *c)
{
    conn_send(c, "bye");
    conn_close(c);
}

int greet(const char *host)
{
    struct conn *c = conn_open(host);
    int sent;

    if (!c)
        return -1;
    sent = conn_send(c, "hello");
    if (sent < 0) {
        give_up(c);
        return sent;
    }
    conn_close(c);
    return sent;
}

/* The caller closes it. */
struct conn *open_and_greet(const char *host)
{
    struct conn *c = conn_open(host);

    if (c)
        conn_send(c, "hello");
    return c;
}
