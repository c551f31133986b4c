/* One way out closes the connection, and the code behind closes it again. */
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
    if (sent < 0)
        give_up(c);
    conn_close(c); /* what `give_up` has closed, too */
    return sent;
}
