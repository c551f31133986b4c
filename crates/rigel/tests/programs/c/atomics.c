/* C11 atomics and the older __sync and __atomic functions, in one thread; thread-local variables. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

static atomic_int counter = 5;
static _Atomic long wide;
static _Atomic(unsigned char) byte = 250;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static _Atomic(int *) pointer;
static _Atomic double real = 1.5;
static _Thread_local int mine = 3;
static __thread long other;
struct pair { int a, b; };
static _Atomic struct pair pair;

static int next(void) { return ++mine; }

int main(void)
{
    printf("%d %d %d\n", counter++, ++counter, counter--);
    counter += 10;
    counter *= 2;
    counter &= ~1;
    printf("%d\n", counter);
    printf("%d ", atomic_fetch_add(&counter, 5));
    printf("%d ", atomic_fetch_sub(&counter, 3));
    printf("%d ", atomic_fetch_or(&counter, 0x100));
    printf("%d ", atomic_fetch_xor(&counter, 0xff));
    printf("%d ", atomic_fetch_and(&counter, 0xf0f));
    printf("%d\n", atomic_load(&counter));
    int expected = 1;
    printf("%d ", atomic_compare_exchange_strong(&counter, &expected, 9));
    printf("%d ", expected == counter);
    printf("%d ", atomic_compare_exchange_strong(&counter, &expected, 9));
    printf("%d\n", counter);
    while (!atomic_compare_exchange_weak(&counter, &expected, expected + 1))
        ;
    printf("%d %d\n", counter, atomic_exchange(&counter, 77));
    atomic_store_explicit(&wide, 1l << 40, memory_order_release);
    wide /= 3;
    printf("%ld\n", atomic_load_explicit(&wide, memory_order_acquire));
    byte += 10;
    printf("%d\n", byte);
    printf("%d ", atomic_flag_test_and_set(&flag));
    printf("%d ", atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);
    printf("%d\n", atomic_flag_test_and_set(&flag));
    int x[3] = { 1, 2, 3 };
    pointer = x;
    pointer++;
    printf("%d\n", *pointer);
    real += 0.25;
    printf("%g\n", real);
    struct pair p = { 1, 2 };
    pair = p;
    p = pair;
    printf("%d %d\n", p.a, p.b);
    atomic_thread_fence(memory_order_seq_cst);
    __sync_synchronize();

    int plain = 4;
    printf("%d %d ", __sync_fetch_and_add(&plain, 3), plain);
    printf("%d ", __sync_add_and_fetch(&plain, 3));
    printf("%d ", __sync_bool_compare_and_swap(&plain, 10, 11));
    printf("%d ", __sync_val_compare_and_swap(&plain, 10, 12));
    printf("%d ", __sync_lock_test_and_set(&plain, 1));
    __sync_lock_release(&plain);
    printf("%d\n", plain);
    printf("%d ", __atomic_add_fetch(&plain, 5, __ATOMIC_SEQ_CST));
    printf("%d ", __atomic_fetch_nand(&plain, 4, __ATOMIC_RELAXED));
    printf("%d ", __atomic_load_n(&plain, __ATOMIC_ACQUIRE));
    int desired = 3, old;
    __atomic_exchange(&plain, &desired, &old, __ATOMIC_SEQ_CST);
    printf("%d %d\n", old, plain);
    unsigned least = 5;
    printf("%d\n", __atomic_fetch_min(&least, 3, __ATOMIC_SEQ_CST));
    printf("%u\n", least);
    short small = -1;
    __atomic_fetch_sub(&small, 5, __ATOMIC_SEQ_CST);
    printf("%d\n", small);

    next();
    next();
    other -= mine;
    printf("%d %ld %d\n", mine, other, *&mine);
    return 0;
}
