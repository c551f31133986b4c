// flags: -D_GLIBCXX_ASSERTIONS
// std::string and string_view.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

static std::string repeat(std::string_view s, int n)
{
    std::string r;
    while (n--)
        r += s;
    return r;
}

static std::vector<std::string> split(const std::string &s, char by)
{
    std::vector<std::string> parts;
    std::size_t at = 0, next;
    while ((next = s.find(by, at)) != std::string::npos) {
        parts.push_back(s.substr(at, next - at));
        at = next + 1;
    }
    parts.push_back(s.substr(at));
    return parts;
}

int main()
{
    std::string a = "hello", b(3, 'x'), c(a, 1, 3), d;
    std::printf("%s %s %s %zu %d\n", a.c_str(), b.c_str(), c.c_str(), a.size(), d.empty());
    a += ", world";
    a.append("!").push_back('?');
    std::printf("%s %zu\n", a.c_str(), a.length());
    std::printf("%zu %zu %d\n", a.find("world"), a.rfind('o'), a.find("zz") == std::string::npos);
    std::printf("%s\n", (a.substr(7, 5) + "-" + b + 'c').c_str());
    a.replace(0, 5, "goodbye");
    a.insert(0, ">>");
    a.erase(a.size() - 1);
    std::printf("%s\n", a.c_str());
    std::printf("%d %d %d\n", a < b, a == a + "", std::string("abc").compare("abd") < 0);
    std::string lng = repeat("abcdefghij", 10);
    std::printf("%zu %c\n", lng.size(), lng[55]);
    std::string moved = std::move(lng), copy = moved;
    copy[0] = 'A';
    std::printf("%zu %c%c\n", lng.size(), moved[0], copy[0]);
    for (char &ch : copy)
        if (ch == 'b')
            ch = 'B';
    std::printf("%s\n", copy.substr(0, 12).c_str());
    for (const auto &p : split("a,bb,,ccc", ','))
        std::printf("[%s]", p.c_str());
    std::puts("");
    std::printf("%s %s\n", std::to_string(-42).c_str(), std::to_string(1ull << 40).c_str());
    std::printf("%d %g\n", std::stoi("123abc"), std::stod("2.5e1"));
    try {
        std::stoi("none");
    } catch (const std::exception &) {
        std::puts("invalid");
    }
    try {
        a.at(1000);
    } catch (const std::out_of_range &) {
        std::puts("out of range");
    }
    std::string_view v = "view of text";
    v.remove_prefix(5);
    std::printf("%.*s %zu %d\n", int(v.size()), v.data(), v.find('t'), v.substr(0, 2) == "of");
    std::string reversed(a.rbegin(), a.rend());
    std::printf("%s\n", reversed.c_str());
    a.clear();
    a.resize(3, 'z');
    a.reserve(100);
    std::printf("%s %d\n", a.c_str(), a.capacity() >= 100);
    std::string s = "x";
    for (int i = 0; i < 10; i++)
        s = s + s.back();
    s.swap(a);
    std::printf("%s %s\n", s.c_str(), a.c_str());
    std::wstring w = L"wide";
    w += L" text";
    std::printf("%zu\n", w.size());
    return 0;
}
