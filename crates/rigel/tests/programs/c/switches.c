/* switch: fallthrough, ranges, Duff's device, 64 bits, negative and char cases, nested, empty. */
#include <limits.h>
#include <stdio.h>

static const char *small(int n)
{
    switch (n) {
    case INT_MIN: return "least";
    case -5 ... -1: return "negative";
    case 0: return "zero";
    case 1 ... 5:
    case 7: return "few";
    case 1000 ... 100000: return "many";
    case INT_MAX: return "most";
    default: return "other";
    }
}

static int fall(int n)
{
    int s = 0;
    switch (n) {
    default: s += 1000; /* in the middle of things */
    case 1: s += 1;
    case 2: s += 2; break;
    case 3: s += 3;
    case 4: { s += 4; break; }
    }
    return s;
}

static void copy(char *to, const char *from, int count)
{
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7:      *to++ = *from++;
    case 6:      *to++ = *from++;
    case 5:      *to++ = *from++;
    case 4:      *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}

static int wide(unsigned long long n)
{
    switch (n) {
    case 0x100000000ull: return 1;
    case 0xffffffffffffffffull: return 2;
    case 0: return 3;
    case 0x8000000000000000ull ... 0x8000000000000010ull: return 4;
    }
    return 5;
}

static int letter(char c)
{
    switch (c) {
    case 'a' ... 'z': return 1;
    case 'A' ... 'Z': return 2;
    case '0': case '1': case '2': return 3;
    case '\n': return 4;
    case -1: return 5;
    case (char)0x80: return 6;
    }
    return 0;
}

enum color { RED = -1, GREEN, BLUE = 10 };

static const char *color(enum color c)
{
    switch (c) {
    case RED: return "red";
    case GREEN: return "green";
    case BLUE: return "blue";
    }
    return "?";
}

static int nested(int a, int b)
{
    switch (a) {
    case 1:
        switch (b) {
        case 1: return 11;
        case 2: break;
        default: return 19;
        }
        return 12;
    case 2:
        for (int i = 0; i < 5; i++) {
            switch (i) {
            case 3: continue;
            case 4: goto out;
            default: b += i;
            }
        }
    out:
        return b;
    }
    return 0;
}

static int into(int n)
{
    switch (n) {
        int k; /* never initialised by this line */
    case 0:
        k = 5;
        return k;
    case 1:
        if (n > 5) {
        case 2:
            n += 100;
        } else {
        case 3:
            n += 200;
        }
        k = n;
        return k;
    }
    return -1;
}

static int effects;
static int effect(void) { return ++effects; }

int main(void)
{
    int ints[] = { INT_MIN, -6, -5, -1, 0, 1, 5, 6, 7, 999, 1000, 100000, 100001, INT_MAX };
    for (unsigned i = 0; i < sizeof ints / sizeof *ints; i++)
        printf("%s ", small(ints[i]));
    puts("");
    for (int i = 0; i < 6; i++)
        printf("%d ", fall(i));
    puts("");
    for (int n = 1; n < 20; n += 5) {
        char to[21] = { 0 };
        copy(to, "abcdefghijklmnopqrst", n);
        printf("%s\n", to);
    }
    printf("%d %d %d %d %d %d\n", wide(1ull << 32), wide(-1), wide(0), wide(1ull << 63), wide((1ull << 63) + 17), wide(1));
    const char *s = "aZ07\n\xff\x80!";
    for (int i = 0; i < 8; i++)
        printf("%d", letter(s[i]));
    puts("");
    printf("%s %s %s %s\n", color(RED), color(GREEN), color(BLUE), color((enum color)3));
    printf("%d %d %d %d %d\n", nested(1, 1), nested(1, 2), nested(1, 3), nested(2, 50), nested(3, 0));
    printf("%d %d %d %d %d\n", into(0), into(1), into(2), into(3), into(4));
    switch (effect()) {
    }
    switch (effect()) {
    default:;
    }
    switch (effect())
    case 3:
        puts("three");
    switch ((short)0xffff) {
    case -1: puts("sign"); break;
    case 0xffff: puts("no sign");
    }
    switch ((_Bool)4) {
    case 1: puts("true");
    }
    __int128 big = (__int128)1 << 100;
    switch ((int)(big >> 98)) {
    case 4: puts("int128");
    }
    printf("%d\n", effects);
    return 0;
}
