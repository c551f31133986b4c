/* float, double, long double: arithmetic, conversions, classification, printing. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

static float half(float x) { return x / 2; }
static double third(double x) { return x / 3; }
static long double fifth(long double x) { return x / 5; }

int main(void)
{
    float f = 0.1f;
    double d = 0.1;
    long double l = 0.1L;
    printf("%.10g %.20g %.25Lg\n", f, d, l);
    printf("%d %d %d\n", f == d, (float)d == f, (double)l == d);
    printf("%g %g %Lg\n", half(3), third(1), fifth(1));
    printf("%.17g %.17g\n", 0.1 + 0.2, (double)(0.1f + 0.2f));
    f += 1e8f;
    printf("%.1f\n", f);
    for (int i = 0; i < 10; i++)
        d += 0.1;
    printf("%.17g\n", d);
    l = 1;
    for (int i = 1; i < 25; i++)
        l *= i;
    printf("%.0Lf %Le\n", l, l);

    printf("%d %d %d %d\n", (int)3.99, (int)-3.99, (int)3.99f, (int)-3.99L);
    printf("%u %u\n", (unsigned)4e9, (unsigned)4e9L);
    printf("%ld %lu\n", (long)-9.2e18, (unsigned long)1.8e19);
    printf("%d %d %d\n", (char)65.7, (short)-1234.5, (unsigned char)255.9);
    printf("%.1f %.1f %.1f\n", (double)UINT_MAX, (double)INT_MIN, (double)ULONG_MAX);
    printf("%.1f %.1f\n", (double)(float)INT_MAX, (float)16777217);
    printf("%.1Lf %.1Lf\n", (long double)ULONG_MAX, (long double)LONG_MIN);
    printf("%d %d\n", (_Bool)0.5, (_Bool)0.0);
    unsigned char c = 200;
    c += 0.7;
    c *= 1.1f;
    printf("%d\n", c);
    int n = 7;
    n *= 1.5;
    n -= 0.5L;
    printf("%d\n", n);

    double inf = 1.0 / 0.0, nan = inf - inf, zero = -0.0;
    printf("%f %f %g\n", inf, -inf, zero);
    printf("%d %d %d %d\n", nan == nan, nan != nan, nan < 1, !(nan >= 1));
    printf("%d %d %d\n", inf > DBL_MAX, zero == 0.0, 1 / zero < 0);
    printf("%d %d %d %d\n", !!isnan(nan), !!isinf(inf), !!isfinite(1.0), !!signbit(zero));
    printf("%d %d\n", isgreater(nan, 1), islessequal(1.0, 2.0));
    printf("%d %d\n", fpclassify(1e-310) == FP_SUBNORMAL, fpclassify(0.0) == FP_ZERO);
    printf("%g %g\n", DBL_MIN / 4, FLT_MIN / 4);
    printf("%g\n", FLT_MAX * 10.0f);
    printf("%Lg %Lg\n", LDBL_MAX, LDBL_EPSILON);
    printf("%g %g %d\n", DBL_EPSILON, FLT_EPSILON, DBL_DIG);

    printf("%.15g %.15g %.15g\n", sqrt(2), sin(1), cos(1));
    printf("%.15g %.15g %.15g\n", exp(1), log(10), pow(2, 0.5));
    printf("%g %g %g %g %g\n", floor(-2.5), ceil(-2.5), trunc(-2.5), round(-2.5), rint(-2.5));
    printf("%g %g %g\n", fabs(-3.5), fmod(7.5, 2), copysign(3, -0.0));
    printf("%g %g %g\n", fmax(1, 2), fmin(1, nan), hypot(3, 4));
    int exponent;
    double mantissa = frexp(100, &exponent), whole;
    printf("%g %d %g\n", mantissa, exponent, ldexp(mantissa, exponent));
    double fraction = modf(-3.25, &whole);
    printf("%g %g\n", fraction, whole);
    printf("%ld %ld %g\n", lround(2.5), lrint(3.5), cbrt(27));
    printf("%g %g %g\n", atan2(1, 1), nextafter(1, 2) - 1, fma(2, 3, 4));
    printf("%.7g %.7g %.7g\n", sqrtf(2), sinf(1), powf(2, 0.5f));
    printf("%.18Lg %Lg %Lg\n", sqrtl(2), fabsl(-1.5L), floorl(-1.5L));

    printf("%f|%e|%g|%a\n", 12345.678, 12345.678, 12345.678, 12345.678);
    printf("%F|%E|%G|%A\n", 1e10, 1e-10, 1e-10, -0.5);
    printf("%.0f|%.3f|%10.2f|%-10.2f|%+.1f|% .1f|%010.3f\n", 2.5, 2.0005, 3.14159, 3.14159, 1.0, 1.0, -3.14159);
    printf("%.0e|%#.0f|%#g|%g|%g|%g\n", 12345.0, 3.0, 1.5, 100000.0, 1000000.0, 0.0001);
    printf("%g|%g|%.3g|%.10g\n", 0.00001, 123456789.0, 0.00012345, 1e15);
    printf("%*.*f|%-*d|\n", 10, 3, 2.71828, 5, 42);
    printf("%.30f\n", 0.1);
    printf("%.3f %.50g\n", 1e22, 1e-5);
    printf("%Lf %Le %La\n", 1.5L, 1e4000L, 1.0L);
    printf("%5f|%5e|%05f|%-8g|\n", inf, -inf, inf, inf);
    printf("%.17g %.17g\n", 5e-324, 1.7976931348623157e308);
    float x = 1e-40f;
    printf("%g %g\n", x, x * 2);
    printf("%d\n", 16777216.0f + 1.0f == 16777216.0f);
    printf("%g %g\n", -0.0 + 0.0, -(0.0));
    double arr[3] = { 1.5, -2.5 };
    arr[2] = arr[0]++ + --arr[1];
    printf("%g %g %g\n", arr[0], arr[1], arr[2]);
    printf("%g\n", (double)1.5f * 3 + 2L);
    printf("%d %d\n", FLT_EVAL_METHOD, (int)sizeof(1.0f * 1.0));
    return 0;
}
