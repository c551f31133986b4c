/* _Complex: arithmetic, parts, functions, passed and returned. */
#include <complex.h>
#include <stdio.h>

static void show(const char *name, double complex z) { printf("%s %g%+gi\n", name, creal(z), cimag(z)); }
static double complex add(double complex a, double complex b) { return a + b; }
static float complex scale(float complex z, float k) { return z * k; }
static long double complex wide(long double complex z) { return z * z; }

struct pole { double complex at; int order; };
static struct pole move(struct pole p, double complex by) { p.at -= by; p.order++; return p; }

static int escape(double complex c)
{
    double complex z = 0;
    int n = 0;
    while (n < 50 && creal(z) * creal(z) + cimag(z) * cimag(z) < 4) {
        z = z * z + c;
        n++;
    }
    return n;
}

static double complex global = 1.5 - 2.5 * I;

int main(void)
{
    double complex a = 3 + 4 * I, b = 1 - 2 * I;
    show("a", a);
    show("sum", add(a, b));
    show("difference", a - b);
    show("product", a * b);
    show("quotient", a / b);
    show("negative", -a);
    show("conjugate", ~a);
    show("global", global * 2);
    show("real", 5 + a);
    printf("%g %g %g\n", creal(a), cimag(a), cabs(a));
    show("conj", conj(a));
    a += 1;
    a *= I;
    show("changed", a);
    __real__ a = 10;
    __imag__ a = 20;
    show("parts", a);
    printf("%d %d %d\n", a == b, a != b, a == 10 + 20 * I);
    printf("%d\n", (_Bool)(0 * I));
    float complex f = scale(1.5f + 2 * I, 2);
    printf("%g %g\n", crealf(f), cimagf(f));
    long double complex l = wide(1 + 1 * I);
    printf("%Lg %Lg\n", creall(l), cimagl(l));
    struct pole p = move((struct pole){ 1 + I, 2 }, 0.5 * I);
    printf("%g %g %d\n", creal(p.at), cimag(p.at), p.order);
    for (int y = -2; y <= 2; y++) {
        for (int x = -4; x <= 2; x++)
            printf("%3d", escape(x / 2.0 + y / 2.0 * I));
        puts("");
    }
    double complex z[2] = { 1, I };
    show("z0*z1", z[0] * z[1]);
    _Complex int gauss = 2 + 3i;
    gauss *= gauss;
    printf("%d %d\n", __real__ gauss, __imag__ gauss);
    printf("%d\n", (int)(3.9 + 2 * I));
    return 0;
}
