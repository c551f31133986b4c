/* The same, with the lock given back on every way. */
struct spin { volatile int taken; };

void spin_lock(struct spin *lock);
int spin_trylock(struct spin *lock); /* not 0: it is taken */
void spin_unlock(struct spin *lock);

struct queue {
    struct spin lock;
    int count;
    int items[16];
};

int take(struct queue *q, int *item)
{
    spin_lock(&q->lock);
    if (q->count == 0) {
        spin_unlock(&q->lock);
        return -1;
    }
    *item = q->items[--q->count];
    spin_unlock(&q->lock);
    return 0;
}

/* A wrapper: half of a pair, and no error. */
static void lock(struct queue *q)
{
    spin_lock(&q->lock);
}

static void unlock(struct queue *q)
{
    spin_unlock(&q->lock);
}

int put(struct queue *q, int item)
{
    if (!spin_trylock(&q->lock))
        return -1;
    while (q->count == 16) {
        unlock(q);
        lock(q);
        q->count = 0;
    }
    q->items[q->count++] = item;
    spin_unlock(&q->lock);
    return 0;
}
