//! The models are held against the real functions: a C program calls those that can be called without harm, with memory that ends where
//! the model says that it may end.
//!
//! A page that nobody may touch lies behind every argument. With as many bytes before it as `needs` says the call must work; with one
//! byte less, or without a string's end, it must not. What comes back, and what the arguments point to then, must be as the model has it.

use library::{Function, Gives, Library, Needed, Size, Writes};
use std::fmt::Write as _;
use std::process::Command;

/// An argument of a call.
#[derive(Clone, Copy)]
enum Arg {
    /// Memory with this at its beginning, and as much room as the model asks for.
    Room(&'static str),
    Text(&'static str),
    Wide(&'static str),
    WideRoom(&'static str),
    Number(u64),
    /// Anything else, in C.
    Plain(&'static str),
}

use Arg::{Number, Plain, Room, Text, Wide, WideRoom};

/// What a call must give besides what the model says.
#[derive(Clone, Copy, PartialEq)]
enum Must {
    Nothing,
    GiveNull,
    NotGiveNull,
}

use Must::{GiveNull, NotGiveNull, Nothing};

const CALLS: &[(&str, &[Arg], Must)] = &[
    ("strlen", &[Text("hello")], Nothing),
    ("strlen", &[Text("")], Nothing),
    ("strnlen", &[Text("hello"), Number(3)], Nothing),
    ("strnlen", &[Text("hello"), Number(9)], Nothing),
    ("strcmp", &[Text("same"), Text("same")], Nothing),
    ("strcoll", &[Text("same"), Text("same")], Nothing),
    ("strcasecmp", &[Text("Same"), Text("sAme")], Nothing),
    ("strncmp", &[Text("same"), Text("same"), Number(3)], Nothing),
    ("strncmp", &[Text("same"), Text("same"), Number(9)], Nothing),
    (
        "strncasecmp",
        &[Text("same"), Text("SAME"), Number(4)],
        Nothing,
    ),
    ("memcmp", &[Text("same"), Text("same"), Number(4)], Nothing),
    ("bcmp", &[Text("same"), Text("same"), Number(4)], Nothing),
    ("memchr", &[Text("abc"), Number(98), Number(3)], NotGiveNull),
    ("memchr", &[Text("abc"), Number(120), Number(3)], GiveNull),
    (
        "memrchr",
        &[Text("abc"), Number(98), Number(3)],
        NotGiveNull,
    ),
    (
        "memmem",
        &[Text("abcd"), Number(4), Text("xy"), Number(2)],
        GiveNull,
    ),
    ("strchr", &[Text("abc"), Number(98)], NotGiveNull),
    ("strchr", &[Text("abc"), Number(120)], GiveNull),
    ("strrchr", &[Text("abc"), Number(120)], GiveNull),
    ("index", &[Text("abc"), Number(120)], GiveNull),
    ("strchrnul", &[Text("abc"), Number(120)], NotGiveNull),
    ("strstr", &[Text("abcd"), Text("xy")], GiveNull),
    ("strstr", &[Text("abcd"), Text("cd")], NotGiveNull),
    ("strcasestr", &[Text("abcd"), Text("xy")], GiveNull),
    ("strpbrk", &[Text("abcd"), Text("xy")], GiveNull),
    ("strspn", &[Text("aab"), Text("ba")], Nothing),
    ("strcspn", &[Text("aab"), Text("xy")], Nothing),
    ("strtok", &[Text(""), Text(",")], GiveNull),
    ("strsep", &[Plain("&(char *){0}"), Text(",")], GiveNull),
    ("strcpy", &[Room(""), Text("hello")], NotGiveNull),
    ("stpcpy", &[Room(""), Text("hello")], NotGiveNull),
    ("strcat", &[Room("ab"), Text("hello")], NotGiveNull),
    (
        "strncpy",
        &[Room(""), Text("hello"), Number(9)],
        NotGiveNull,
    ),
    (
        "strncpy",
        &[Room(""), Text("hello"), Number(3)],
        NotGiveNull,
    ),
    (
        "stpncpy",
        &[Room(""), Text("hello"), Number(3)],
        NotGiveNull,
    ),
    (
        "strncat",
        &[Room("ab"), Text("hello"), Number(3)],
        NotGiveNull,
    ),
    (
        "strncat",
        &[Room("ab"), Text("hello"), Number(30)],
        NotGiveNull,
    ),
    ("memcpy", &[Room(""), Text("hello"), Number(5)], NotGiveNull),
    (
        "mempcpy",
        &[Room(""), Text("hello"), Number(5)],
        NotGiveNull,
    ),
    (
        "memmove",
        &[Room(""), Text("hello"), Number(5)],
        NotGiveNull,
    ),
    ("memset", &[Room(""), Number(1), Number(5)], NotGiveNull),
    ("explicit_bzero", &[Room(""), Number(5)], Nothing),
    ("bzero", &[Room(""), Number(5)], Nothing),
    ("bcopy", &[Text("hello"), Room(""), Number(5)], Nothing),
    ("strdup", &[Text("hello")], NotGiveNull),
    ("strndup", &[Text("hello"), Number(3)], NotGiveNull),
    ("strerror", &[Number(2)], NotGiveNull),
    ("wcslen", &[Wide("hello")], Nothing),
    ("wcsnlen", &[Wide("hello"), Number(3)], Nothing),
    ("wcscmp", &[Wide("same"), Wide("same")], Nothing),
    ("wcsncmp", &[Wide("same"), Wide("same"), Number(3)], Nothing),
    ("wmemcmp", &[Wide("same"), Wide("same"), Number(4)], Nothing),
    ("wcschr", &[Wide("abc"), Number(120)], GiveNull),
    ("wcsstr", &[Wide("abc"), Wide("x")], GiveNull),
    ("wcsspn", &[Wide("aab"), Wide("ba")], Nothing),
    ("wcscpy", &[WideRoom(""), Wide("hello")], NotGiveNull),
    ("wcscat", &[WideRoom("ab"), Wide("hello")], NotGiveNull),
    (
        "wcsncpy",
        &[WideRoom(""), Wide("hello"), Number(9)],
        NotGiveNull,
    ),
    (
        "wcsncat",
        &[WideRoom("ab"), Wide("hello"), Number(3)],
        NotGiveNull,
    ),
    (
        "wmemcpy",
        &[WideRoom(""), Wide("hello"), Number(5)],
        NotGiveNull,
    ),
    (
        "wmemmove",
        &[WideRoom(""), Wide("hello"), Number(5)],
        NotGiveNull,
    ),
    (
        "wmemset",
        &[WideRoom(""), Number(1), Number(5)],
        NotGiveNull,
    ),
    ("wcsdup", &[Wide("hello")], NotGiveNull),
    ("atoi", &[Text("-12")], Nothing),
    ("atol", &[Text("-12")], Nothing),
    ("atoll", &[Text("12")], Nothing),
    ("atof", &[Text("1.5")], Nothing),
    ("strtol", &[Text("-12"), Plain("NULL"), Number(10)], Nothing),
    ("strtoul", &[Text("12"), Plain("NULL"), Number(10)], Nothing),
    ("strtod", &[Text("1.5"), Plain("NULL")], Nothing),
    ("abs", &[Plain("-3")], Nothing),
    ("labs", &[Plain("-3")], Nothing),
    ("rand", &[], Nothing),
    ("random", &[], Nothing),
    ("lrand48", &[], Nothing),
    ("mrand48", &[], Nothing),
    ("getenv", &[Text("NOBODY_SETS_THIS")], GiveNull),
    ("malloc", &[Number(100)], NotGiveNull),
    ("malloc", &[Plain("(size_t)-1 / 2")], GiveNull),
    ("calloc", &[Number(10), Number(10)], NotGiveNull),
    ("calloc", &[Plain("(size_t)-1 / 4"), Number(4)], GiveNull),
    ("valloc", &[Number(100)], NotGiveNull),
    ("aligned_alloc", &[Number(64), Number(128)], NotGiveNull),
    ("memalign", &[Number(64), Number(128)], NotGiveNull),
    (
        "realloc",
        &[Plain("NULL"), Plain("(size_t)-1 / 2")],
        GiveNull,
    ),
    ("isalpha", &[Number(97)], Nothing),
    ("isdigit", &[Number(97)], Nothing),
    ("toupper", &[Number(97)], Nothing),
    ("tolower", &[Number(65)], Nothing),
    ("__ctype_b_loc", &[], NotGiveNull),
    ("__errno_location", &[], NotGiveNull),
    ("fopen", &[Text("/no/such/file"), Text("r")], GiveNull),
    ("opendir", &[Text("/no/such/file")], GiveNull),
    ("getchar", &[], Nothing),
    ("fgetc", &[Plain("stdin")], Nothing),
    (
        "fgets",
        &[Room(""), Number(9), Plain("input(\"12345678901\")")],
        NotGiveNull,
    ),
    (
        "fgets",
        &[Room(""), Number(9), Plain("input(\"\")")],
        GiveNull,
    ),
    (
        "fread",
        &[Room(""), Number(2), Number(3), Plain("input(\"1234567\")")],
        Nothing,
    ),
    (
        "fwrite",
        &[Text("123456"), Number(2), Number(3), Plain("tmpfile()")],
        Nothing,
    ),
    ("fputs", &[Text("hello"), Plain("tmpfile()")], Nothing),
    (
        "read",
        &[Plain("fileno(input(\"1234567\"))"), Room(""), Number(5)],
        Nothing,
    ),
    (
        "pread",
        &[
            Plain("fileno(input(\"1234567\"))"),
            Room(""),
            Number(5),
            Number(0),
        ],
        Nothing,
    ),
    (
        "write",
        &[Plain("fileno(tmpfile())"), Text("hello"), Number(5)],
        Nothing,
    ),
    ("access", &[Text("/no/such/file"), Number(0)], Nothing),
    ("unlink", &[Text("/no/such/file")], Nothing),
    ("getcwd", &[Room(""), Number(4096)], NotGiveNull),
    ("getpid", &[], Nothing),
    (
        "strftime",
        &[Room(""), Number(20), Text("%Y"), Plain("&(struct tm){0}")],
        Nothing,
    ),
    (
        "localtime_r",
        &[Plain("&(time_t){0}"), Room("")],
        NotGiveNull,
    ),
    (
        "asctime",
        &[Plain("&(struct tm){.tm_mday = 1}")],
        NotGiveNull,
    ),
    ("clock_gettime", &[Number(0), Room("")], Nothing),
    ("time", &[Plain("NULL")], Nothing),
    ("stat", &[Text("/"), Room("")], Nothing),
    ("fstat", &[Number(0), Room("")], Nothing),
    ("pipe", &[Room("")], Nothing),
    ("sigemptyset", &[Room("")], Nothing),
    ("frexp", &[Plain("1.5"), Room("")], Nothing),
    ("modf", &[Plain("1.5"), Room("")], Nothing),
    (
        "qsort",
        &[Text("dacb"), Number(4), Number(1), Plain("compare")],
        Nothing,
    ),
    (
        "bsearch",
        &[
            Text("x"),
            Text("abcd"),
            Number(4),
            Number(1),
            Plain("compare"),
        ],
        GiveNull,
    ),
    ("setlocale", &[Number(6), Text("no such locale")], GiveNull),
    ("getpwnam", &[Text("nobody of this name")], GiveNull),
    (
        "snprintf",
        &[Room(""), Number(6), Text("hello"), Plain("NULL")],
        Nothing,
    ),
    (
        "sprintf",
        &[Room(""), Text("hello"), Plain("NULL")],
        Nothing,
    ),
    (
        "__memcpy_chk",
        &[Room(""), Text("hello"), Number(5), Number(99)],
        NotGiveNull,
    ),
    (
        "__memset_chk",
        &[Room(""), Number(1), Number(5), Number(99)],
        NotGiveNull,
    ),
    (
        "__strcpy_chk",
        &[Room(""), Text("hello"), Number(99)],
        NotGiveNull,
    ),
    (
        "__strcat_chk",
        &[Room("ab"), Text("hello"), Number(99)],
        NotGiveNull,
    ),
    (
        "__strncpy_chk",
        &[Room(""), Text("hello"), Number(9), Number(99)],
        NotGiveNull,
    ),
    (
        "__strncat_chk",
        &[Room("ab"), Text("hello"), Number(3), Number(99)],
        NotGiveNull,
    ),
    (
        "__sprintf_chk",
        &[Room(""), Number(0), Number(99), Text("hello")],
        Nothing,
    ),
    (
        "__snprintf_chk",
        &[Room(""), Number(4), Number(0), Number(99), Text("hello")],
        Nothing,
    ),
];

/// What these need is what they may use; it is not all used in every call, or the kernel says what is wrong, without a signal.
const LOOSE: &[&str] = &[
    "access",
    "bsearch",
    "clock_gettime",
    "fopen",
    "fread",
    "fstat",
    "fwrite",
    "getcwd",
    "getenv",
    "getpwnam",
    "opendir",
    "pipe",
    "pread",
    "read",
    "setlocale",
    "sigemptyset",
    "stat",
    "strftime",
    "strsep",
    "strtok",
    "unlink",
    "wcsspn",
    "wcsstr",
    "write",
];

/// These are done before they come to the end.
const EARLY: &[(&str, Must)] = &[
    ("strchr", NotGiveNull),
    ("strstr", NotGiveNull),
    ("fgets", GiveNull),
];

/// They end the process; called like this.
const ENDS: &[&str] = &[
    "exit(0)",
    "_exit(0)",
    "_Exit(0)",
    "quick_exit(0)",
    "abort()",
    "pthread_exit(0)",
    "err(0, \"x\")",
    "errx(0, \"x\")",
    "__assert_fail(\"x\", \"f\", 1, \"f\")",
    "__stack_chk_fail()",
    "__chk_fail()",
];

const PRELUDE: &str = r#"
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memset_chk(void *, int, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t);
char *__strcat_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);
int __sprintf_chk(char *, int, size_t, const char *, ...);
int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
const unsigned short **__ctype_b_loc(void);
void __assert_fail(const char *, const char *, unsigned, const char *);
void __stack_chk_fail(void);
void __chk_fail(void);

/* `size` bytes that end where nobody may go, with these at the beginning. */
static char *before_the_end(const void *bytes, size_t length, size_t size)
{
    size_t page = 4096, room = (size / page + 1) * page;
    char *all = mmap(0, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *start = all + room - size;
    mprotect(all + room, page, PROT_NONE);
    memcpy(start, bytes, length < size ? length : size);
    return start;
}
static FILE *input(const char *text)
{
    FILE *f = tmpfile();
    fputs(text, f);
    rewind(f);
    setvbuf(f, 0, _IONBF, 0);
    return f;
}
static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
static void must(int holds, const char *what) { if (!holds) { dprintf(1, "%s\n", what); _exit(1); } }
/* How a case ends: 0 well, 1 not as it was claimed, 2 by a signal, 3 it came back. */
static int ends(void (*f)(void))
{
    int status, child;
    fflush(stdout);
    child = fork();
    if (!child) { close(0); open("/dev/null", O_RDONLY); close(2); f(); _exit(3); }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 2 : WEXITSTATUS(status);
}
static int wrong;
static void expect(int found, int wanted, const char *what)
{
    static const char *const words[] = {"is well", "is not as claimed", "crashes", "comes back"};
    if (found != wanted) { wrong = 1; printf("%s: %s\n", what, words[found & 3]); }
}
"#;

/// A library's view of one call.
struct Case<'c> {
    f: &'c Function,
    args: &'c [Arg],
    must: Must,
}

impl Case<'_> {
    /// The bytes of a string that an argument is, without its end.
    fn text(&self, at: usize) -> Option<u64> {
        Some(match self.args.get(at)? {
            Room(text) | Text(text) => text.len() as u64,
            Wide(text) | WideRoom(text) => text.len() as u64,
            _ => return None,
        })
    }

    fn size(&self, size: &Size) -> Option<u64> {
        Some(match size {
            Size::Constant(n) => *n,
            Size::Argument(at) => match self.args.get(*at)? {
                Number(n) => *n,
                _ => return None,
            },
            Size::StringLength(at) | Size::WideLength(at) => self.text(*at)?,
            Size::Formatted => self.text(self.f.format?.argument)?,
            Size::Unbounded => return None,
            Size::Product(a, b) => self.size(a)? * self.size(b)?,
            Size::Sum(a, b) => self.size(a)? + self.size(b)?,
            Size::Least(a, b) => self.size(a)?.min(self.size(b)?),
        })
    }

    /// How many bytes an argument must have.
    fn room(&self, at: usize) -> Option<u64> {
        let needs = self.f.needs.iter().filter(|need| need.argument == at);
        let sizes = needs.filter_map(|need| match &need.what {
            Needed::Read(size) | Needed::Write(size) => self.size(size),
            Needed::String { most, .. } => {
                let wide = matches!(self.args[at], Wide(_) | WideRoom(_));
                let unit = if wide { 4 } else { 1 };
                let with_end = (self.text(at)? + 1) * unit;
                let most = most.as_ref().and_then(|most| self.size(most));
                Some(most.map_or(with_end, |most| most.min(with_end)))
            }
        });
        sizes.max()
    }

    /// The body of a function that makes the call; an argument has so many bytes less than it needs.
    fn body(&self, less: Option<usize>, null: Option<usize>) -> String {
        let mut out = String::new();
        let mut names = Vec::new();
        for (at, arg) in self.args.iter().enumerate() {
            if null == Some(at) {
                names.push("0".to_string());
                continue;
            }
            match arg {
                Number(n) => names.push(n.to_string()),
                Plain(text) => {
                    let _ = writeln!(out, "    __auto_type a{at} = {text};");
                    names.push(format!("a{at}"));
                }
                Room(text) | Text(text) | Wide(text) | WideRoom(text) => {
                    let wide = matches!(arg, Wide(_) | WideRoom(_));
                    let (unit, prefix) = if wide { (4, "L") } else { (1, "") };
                    let whole = (text.len() as u64 + 1) * unit;
                    let room = self.room(at).unwrap_or(whole);
                    let room = room - if less == Some(at) { unit } else { 0 };
                    let _ = writeln!(
                        out,
                        "    void *a{at} = before_the_end({prefix}\"{text}\", {whole}, {room}); size_t n{at} = {room}; \
                         void *old{at} = malloc({room} + 1); memcpy(old{at}, a{at}, {room});"
                    );
                    names.push(format!("a{at}"));
                }
            }
        }
        let call = format!("{}({})", self.f.name, names.join(", "));
        let is_void = ["bzero", "bcopy", "explicit_bzero", "qsort"].contains(&self.f.name.as_str());
        if is_void {
            let _ = writeln!(out, "    {call};");
        } else if less.is_some() || null.is_some() {
            // Even without optimization nobody calls a pure function in vain.
            let _ = writeln!(out, "    volatile __auto_type r = {call};");
        } else {
            let _ = writeln!(out, "    __auto_type r = {call};");
            let mut must = |condition: String, what: &str| {
                let _ = writeln!(out, "    must({condition}, \"{}: {what}\");", self.f.name);
            };
            match self.must {
                Nothing => {}
                GiveNull => must("r == 0".to_string(), "null was expected"),
                NotGiveNull => must("r != 0".to_string(), "null was not expected"),
            }
            match &self.f.gives {
                Gives::Pointer => must("r != 0".to_string(), "it gives no null"),
                Gives::SamePointer => must(format!("r && r == {call}"), "always the same"),
                Gives::Argument(at) => must(format!("(void *)r == a{at}"), "it gives its argument"),
                Gives::StringLength(at) => {
                    must(format!("r == strlen(a{at})"), "it gives the length");
                }
                Gives::WideLength(at) => {
                    must(format!("r == wcslen(a{at})"), "it gives the length");
                }
                Gives::Number(low, high) | Gives::Input(low, high) => {
                    let low = match *low {
                        i64::MIN => "(-0x7fffffffffffffffLL - 1)".to_string(),
                        low => format!("{low}LL"),
                    };
                    let inside = format!("(long long)r >= {low} && (long long)r <= {high}LL");
                    must(inside, "it gives a number of the range");
                }
                Gives::Memory { size, zeroed, .. } => {
                    if let Some(size) = size.as_ref().and_then(|size| self.size(size)) {
                        must(format!("!r || malloc_usable_size(r) >= {size}"), "so much");
                        if *zeroed {
                            must(
                                format!("!r || !memcmp(r, (char[{size}]){{0}}, {size})"),
                                "of zeros",
                            );
                        }
                    }
                }
                Gives::PointerOrNull => {
                    must("sizeof r == 8".to_string(), "a pointer");
                }
                Gives::Anything | Gives::BytesBehind(_) => {}
            }
            let number = !matches!(
                self.f.gives,
                Gives::Memory { .. } | Gives::PointerOrNull | Gives::Pointer | Gives::SamePointer
            );
            if self.f.pure && number {
                must(format!("r == {call}"), "it gives the same again");
            }
        }
        if less.is_none() && null.is_none() && self.f.writes == Some(Writes::Nothing) {
            for (at, arg) in self.args.iter().enumerate() {
                if matches!(arg, Room(_) | Text(_) | Wide(_) | WideRoom(_)) {
                    let _ = writeln!(
                        out,
                        "    must(!memcmp(a{at}, old{at}, n{at}), \"{}: it writes nothing\");",
                        self.f.name
                    );
                }
            }
        }
        let _ = writeln!(out, "    _exit(0);");
        out
    }
}

#[test]
fn the_real_functions_do_what_the_models_say() {
    let library = Library::built_in();
    let mut cases = String::new();
    let mut main = String::new();
    let mut count = 0;
    let mut add = |body: String, wanted: u8, what: &str| {
        let _ = writeln!(cases, "static void case{count}(void)\n{{\n{body}}}");
        let _ = writeln!(main, "    expect(ends(case{count}), {wanted}, \"{what}\");");
        count += 1;
    };
    for &(name, args, must) in CALLS {
        let f = library.function(name).unwrap_or_else(|| panic!("{name}"));
        assert!(f.is_modelled(), "{name}");
        let case = Case { f, args, must };
        add(case.body(None, None), 0, name);
        for (at, arg) in args.iter().enumerate() {
            let pointer = matches!(arg, Room(_) | Text(_) | Wide(_) | WideRoom(_));
            let needed = case.room(at).is_some_and(|room| room > 0);
            if pointer && needed && !LOOSE.contains(&name) && !EARLY.contains(&(name, must)) {
                let what = format!("{name} with one byte less in argument {at}");
                add(case.body(Some(at), None), 2, &what);
            }
            if f.pure && f.follows.contains(&at) {
                let what = format!("{name} with null as argument {at}");
                add(case.body(None, Some(at)), 2, &what);
            }
        }
    }
    for &call in ENDS {
        let name = call.split('(').next().unwrap_or_default();
        let f = library.function(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(f.comes_back, Some(false), "{name}");
        let _ = writeln!(cases, "static void case{count}(void) {{ {call}; }}");
        let _ = writeln!(
            main,
            "    if (ends(case{count}) == 3) {{ wrong = 1; puts(\"{name} came back\"); }}"
        );
        count += 1;
    }
    let program = format!("{PRELUDE}{cases}int main(void)\n{{\n{main}    return wrong;\n}}\n");
    let directory = std::env::temp_dir().join(format!("rigel-models-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let (source, binary) = (directory.join("calls.c"), directory.join("calls"));
    std::fs::write(&source, program).unwrap();
    let compiler = std::env::var("RIGEL_CLANG").unwrap_or_else(|_| "clang-19".to_string());
    let compiled = Command::new(compiler)
        .args(["-w", "-O0", "-fno-builtin", "-U_FORTIFY_SOURCE", "-o"])
        .args([&binary, &source])
        .args(["-lm", "-lpthread"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
    let run = Command::new(&binary).output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{said}");
    let _ = std::fs::remove_dir_all(directory);
}
