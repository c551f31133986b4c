/* A queue with a lock of its own kind. One way out of `take` forgets the lock. */
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
    if (q->count == 0)
        return -1; /* the lock is still held */
    *item = q->items[--q->count];
    spin_unlock(&q->lock);
    return 0;
}

/* Who waits for room takes the lock that it has already. */
int put(struct queue *q, int item)
{
    if (!spin_trylock(&q->lock))
        return -1;
    while (q->count == 16) {
        spin_lock(&q->lock);
        q->count = 0;
    }
    q->items[q->count++] = item;
    spin_unlock(&q->lock);
    return 0;
}
