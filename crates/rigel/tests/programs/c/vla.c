/* Arrays of variable length: sizeof, dimensions, parameters, loops, pointers to them. */
#include <stdio.h>
#include <string.h>

static int total(int n, int m, int a[n][m])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            s += a[i][j];
    return s;
}

static void transpose(int n, int m, const int from[n][m], int to[m][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            to[j][i] = from[i][j];
}

static size_t width(int n, double (*row)[n]) { return sizeof *row; }

static int depth(int n)
{
    char here[n];
    memset(here, n, sizeof here);
    return n == 1 ? here[0] : here[n - 1] + depth(n - 1);
}

static int twice(int *n) { return *n *= 2; }

static int minimum(int n, int a[static n])
{
    int least = a[0];
    for (int i = 1; i < n; i++)
        if (a[i] < least)
            least = a[i];
    return least;
}

int main(void)
{
    for (int n = 1; n < 6; n++) {
        int a[n], b[n * 2];
        for (int i = 0; i < n; i++)
            a[i] = i * i;
        for (int i = 0; i < n * 2; i++)
            b[i] = i;
        printf("%zu %zu %d %d\n", sizeof a, sizeof b, a[n - 1], b[2 * n - 1]);
        if (n == 3)
            continue;
        long more[n + 1];
        more[n] = a[0] + n;
        printf("%ld %zu\n", more[n], sizeof more / sizeof more[0]);
    }
    int n = 3, m = 4;
    int grid[n][m], turned[m][n];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            grid[i][j] = 10 * i + j;
    printf("%d %zu %zu\n", total(n, m, grid), sizeof grid, sizeof grid[0]);
    transpose(n, m, grid, turned);
    for (int i = 0; i < m; i++)
        printf("%d %d %d\n", turned[i][0], turned[i][1], turned[i][2]);
    int (*p)[m] = grid + 1;
    printf("%d %d %td\n", (*p)[2], p[1][3], p - grid);
    m = 100; /* the type keeps its size */
    printf("%zu %d\n", sizeof *p, p[-1][1]);
    double row[n + 2];
    row[4] = 1.5;
    printf("%zu %g\n", width(n + 2, &row), row[4]);
    printf("%d\n", depth(10));
    int k = 2;
    printf("%zu ", sizeof(int[twice(&k)]));
    printf("%d\n", k);
    int cube[k][k + 1][k + 2];
    memset(cube, 0, sizeof cube);
    cube[3][4][5] = 7;
    printf("%d %zu %zu %zu\n", ((int *)cube)[3 * 30 + 4 * 6 + 5], sizeof cube, sizeof *cube, sizeof **cube);
    typedef char line[k * 3];
    k = 50;
    line text;
    strcpy(text, "hello");
    printf("%zu %s\n", sizeof text, text);
    int values[] = { 5, 2, 8 };
    printf("%d\n", minimum(3, values));
    int count = 0;
again:;
    int list[count + 1];
    list[count] = count;
    if (list[count] < 3) {
        count++;
        goto again;
    }
    printf("%zu\n", sizeof list);
    return 0;
}
