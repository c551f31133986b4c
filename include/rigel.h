/* What a program can say to rigel:

       __rigel_assume(c);    only runs in which c holds go on from here
       __rigel_assert(c);    c holds here: rigel's rule `assertion` checks it

   Other compilers see nothing of both, and never evaluate c: it must have no side effects. In C the
   two need no declaration under rigel; this header is for C++, and for builds without rigel. */

#ifndef RIGEL_H
#define RIGEL_H

#ifdef __RIGEL__

#ifdef __cplusplus
extern "C" {
#endif

void __rigel_assume(int holds) __attribute__((nothrow));
void __rigel_assert(int holds) __attribute__((nothrow));

#ifdef __cplusplus
}
#endif

/* Whatever can be tested may be said: pointers, numbers, objects that convert to bool. */
#define __rigel_assume(c) __rigel_assume(!!(c))
#define __rigel_assert(c) __rigel_assert(!!(c))

#else

#define __rigel_assume(c) ((void)0)
#define __rigel_assert(c) ((void)0)

#endif

#endif
