// A handler of terminate that ends the program: what is written and the code stay.
#include <cstdio>
#include <cstdlib>
#include <exception>

struct Loud { ~Loud() { std::puts("not unwound past noexcept"); } };
void fails() { throw 1; }
void promised() noexcept { fails(); }

int main()
{
    std::set_terminate([] {
        std::puts("terminated");
        std::fflush(stdout);
        std::_Exit(3);
    });
    promised();
    return 0;
}
