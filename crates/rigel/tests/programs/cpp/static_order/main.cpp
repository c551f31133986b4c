// Static initialisers across units, inline variables, statics of templates, extern "C", weak merging.
#include "shared.h"
#include <cstdio>

static Logger main_logger("main");
int from_main = from_other + 1;

extern "C" int c_function(int);

int main()
{
    std::printf("%d %d\n", from_main, from_other);
    std::printf("%d %d\n", inline_counter, bump());
    std::printf("%d\n", inline_counter);
    std::printf("%d %d\n", Holder<int>::value(), other_holder());
    std::printf("%d\n", c_function(4));
    std::printf("%d\n", local_static() + other_static());
    std::printf("%d\n", hidden() * 10 + other_hidden());
    return 0;
}
