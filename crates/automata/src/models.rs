//! What is known of functions without a body: the C library, as far as it matters.

use domain::{MOST, Number};

/// What a call gives back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gives {
    /// Anything of its type.
    Anything,
    /// A pointer to fresh memory: which arguments multiply to its size.
    Memory {
        size: Size,
        zeroed: bool,
        /// Null when there is none left.
        can_fail: bool,
    },
    /// A pointer, or null when there is nothing to point to: a documented answer.
    PointerOrNull,
    NonNull,
    /// A pointer that is not null, the same in every call.
    Same,
    /// Input: any number of the range must be reckoned with.
    Input(i64, i64),
    Number(i64, i64),
    /// Its first argument.
    FirstArgument,
    /// How many bytes there are from its first argument to the end of the object; 0 if that is null.
    Length,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Argument(usize),
    Product(usize, usize),
    Unknown,
}

/// What a call may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Writes {
    Nothing,
    /// What its arguments point to, and keeps none of them.
    Arguments,
    /// What its arguments point to, with input: any value must be reckoned with.
    Input,
    Anything,
}

/// Does a call end the life of what its first argument points to?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frees {
    Never,
    Always,
    /// `realloc`: unless it gives null, the block is another one now.
    UnlessNull,
}

#[derive(Clone, Copy, Debug)]
pub struct Model {
    pub gives: Gives,
    pub writes: Writes,
    pub returns: bool,
    pub frees: Frees,
    /// Looks something up in memory: a null says that it is not there, and is no failure.
    pub searches: bool,
}

/// No object is longer than the part of the address space that programs have: sums of a few lengths
/// do not wrap.
pub const LONGEST_OBJECT: i64 = 1 << 47;

const QUIET: Model = Model {
    gives: Gives::Anything,
    writes: Writes::Nothing,
    returns: true,
    frees: Frees::Never,
    searches: false,
};

/// What is known of a function of this linkage name; none if nothing is.
pub fn model(name: &str) -> Option<Model> {
    let gives = |gives| Model { gives, ..QUIET };
    let writing = |writes, g| Model {
        gives: g,
        writes,
        ..QUIET
    };
    let fresh = |size, zeroed, can_fail| {
        gives(Gives::Memory {
            size,
            zeroed,
            can_fail,
        })
    };
    Some(match name {
        "malloc" | "valloc" => fresh(Size::Argument(0), false, true),
        "calloc" => fresh(Size::Product(0, 1), true, true),
        "aligned_alloc" | "memalign" => fresh(Size::Argument(1), false, true),
        "_Znwm" | "_Znam" => fresh(Size::Argument(0), false, false),
        "__cxa_allocate_exception" => fresh(Size::Argument(0), false, false),
        "_ZnwmRKSt9nothrow_t" | "_ZnamRKSt9nothrow_t" => fresh(Size::Argument(0), false, true),
        "realloc" | "reallocarray" => Model {
            frees: Frees::UnlessNull,
            ..gives(Gives::PointerOrNull)
        },
        "strdup" | "strndup" => gives(Gives::PointerOrNull),
        "free" | "cfree" | "__rigel_end_of_array" | "_ZdlPv" | "_ZdlPvm" | "_ZdaPv" | "_ZdaPvm" => {
            Model {
                frees: Frees::Always,
                ..QUIET
            }
        }
        "exit"
        | "_exit"
        | "__rigel_exit"
        | "_Exit"
        | "quick_exit"
        | "abort"
        | "longjmp"
        | "siglongjmp"
        | "_longjmp"
        | "__longjmp_chk"
        | "__assert_fail"
        | "__assert_perror_fail"
        | "__assert"
        | "pthread_exit"
        | "err"
        | "errx"
        | "verr"
        | "verrx"
        | "_ZSt9terminatev"
        | "__cxa_throw"
        | "__cxa_rethrow"
        | "__cxa_bad_cast"
        | "__stack_chk_fail"
        | "__chk_fail"
        | "__builtin_unreachable"
        | "reach_error"
        | "__VERIFIER_error" => Model {
            returns: false,
            ..QUIET
        },
        "strchr" | "strrchr" | "strstr" | "strcasestr" | "strpbrk" | "memchr" | "memrchr"
        | "index" | "rindex" => Model {
            searches: true,
            ..gives(Gives::PointerOrNull)
        },
        // They call whom they are given.
        "qsort" => writing(Writes::Anything, Gives::Anything),
        "bsearch" => Model {
            searches: true,
            ..writing(Writes::Anything, Gives::PointerOrNull)
        },
        "getenv" | "secure_getenv" | "fopen" | "fopen64" | "fdopen" | "freopen" | "popen"
        | "tmpfile" | "opendir" | "readdir" | "dlopen" | "dlsym" | "getpwnam" | "getpwuid"
        | "getgrnam" | "getgrgid" | "gethostbyname" | "setlocale" | "ttyname" | "getlogin" => {
            gives(Gives::PointerOrNull)
        }
        // Of a pointer; for a reference the compiler asks for null itself.
        "__dynamic_cast" => gives(Gives::PointerOrNull),
        "strtok" | "strtok_r" | "strsep" => Model {
            searches: true,
            ..writing(Writes::Arguments, Gives::PointerOrNull)
        },
        "fgets" | "gets" => writing(Writes::Input, Gives::PointerOrNull),
        "rand" | "random" | "lrand48" => gives(Gives::Input(0, i64::from(i32::MAX))),
        "mrand48" | "atoi" => gives(Gives::Input(i64::from(i32::MIN), i64::from(i32::MAX))),
        "atol" | "atoll" => gives(Gives::Input(i64::MIN, MOST)),
        "strtol" | "strtoll" | "__isoc23_strtol" | "__isoc23_strtoll" => {
            writing(Writes::Arguments, Gives::Input(i64::MIN, MOST))
        }
        "strtoul" | "strtoull" | "__isoc23_strtoul" | "__isoc23_strtoull" => {
            writing(Writes::Arguments, Gives::Input(0, MOST))
        }
        "getchar" | "fgetc" | "getc" | "getc_unlocked" | "getchar_unlocked" | "_IO_getc" => {
            gives(Gives::Input(-1, 255))
        }
        "read" | "recv" | "recvfrom" | "pread" => writing(Writes::Input, Gives::Input(-1, MOST)),
        "fread" => writing(Writes::Input, Gives::Number(0, MOST)),
        "scanf" | "fscanf" | "sscanf" | "__isoc99_scanf" | "__isoc99_fscanf"
        | "__isoc99_sscanf" | "__isoc23_scanf" | "__isoc23_fscanf" | "__isoc23_sscanf" => {
            writing(Writes::Input, Gives::Anything)
        }
        "__VERIFIER_nondet_int" => gives(Gives::Input(i64::from(i32::MIN), i64::from(i32::MAX))),
        "__VERIFIER_nondet_uint" => gives(Gives::Input(0, i64::from(u32::MAX))),
        "__VERIFIER_nondet_bool" => gives(Gives::Input(0, 1)),
        "__VERIFIER_nondet_char" => gives(Gives::Input(-128, 127)),
        "__VERIFIER_nondet_uchar" => gives(Gives::Input(0, 255)),
        "__VERIFIER_nondet_short" => gives(Gives::Input(-32768, 32767)),
        "__VERIFIER_nondet_ushort" => gives(Gives::Input(0, 65535)),
        "__VERIFIER_nondet_long" | "__VERIFIER_nondet_longlong" => {
            gives(Gives::Input(i64::MIN, MOST))
        }
        "__VERIFIER_nondet_ulong" | "__VERIFIER_nondet_size_t" | "__VERIFIER_nondet_ulonglong" => {
            gives(Gives::Input(0, MOST))
        }
        // What bodies of models are made of (front::model).
        "__rigel_len" => gives(Gives::Length),
        "__rigel_any_memory" => writing(Writes::Input, Gives::Anything),
        "__rigel_model" | "__rigel_fail" | "__rigel_room" => QUIET,
        any if any.starts_with("__rigel_any_") => {
            writing(Writes::Input, Gives::Input(i64::MIN, MOST))
        }
        "__VERIFIER_assert" => QUIET,
        // Anything else that a verification task may ask for: a value of the type that it says.
        name if name.starts_with("__VERIFIER_nondet_") => QUIET,
        // Null only for a year that does not fit in an `int`.
        "localtime" | "gmtime" | "ctime" | "asctime" => QUIET,
        "strlen" | "strnlen" | "strspn" | "strcspn" | "wcslen" => {
            gives(Gives::Number(0, LONGEST_OBJECT))
        }
        "isalpha" | "isdigit" | "isalnum" | "isspace" | "isupper" | "islower" | "ispunct"
        | "isprint" | "isxdigit" | "iscntrl" | "isgraph" | "toupper" | "tolower" | "strcmp"
        | "strncmp" | "strcasecmp" | "strncasecmp" | "memcmp" | "strcoll" | "abs" | "labs"
        | "printf" | "fprintf" | "vprintf" | "vfprintf" | "puts" | "fputs" | "putchar"
        | "fputc" | "putc" | "putchar_unlocked" | "fwrite" | "fflush" | "fclose" | "feof"
        | "ferror" | "fileno" | "fseek" | "ftell" | "rewind" | "perror" | "clock" | "getpid"
        | "close" | "write" | "open" | "unlink" | "access" | "isatty" | "sleep" | "usleep"
        | "syslog" | "srand" | "srandom" | "sqrt" | "pow" | "exp" | "log" | "floor" | "ceil"
        | "fabs" | "sin" | "cos" | "atof" | "getuid" | "geteuid" | "closedir" | "ungetc"
        | "putenv" | "warn" | "warnx" => QUIET,
        // The place of `errno` is the same, too; but all others write there, and nobody says so.
        "strerror" | "__errno_location" => gives(Gives::NonNull),
        "__ctype_b_loc" | "__ctype_tolower_loc" | "__ctype_toupper_loc" => gives(Gives::Same),
        // A pointer that was thrown is what it gives, null or not.
        "__cxa_begin_catch" => QUIET,
        "strcpy" | "strncpy" | "strcat" | "strncat" | "memcpy" | "memmove" | "memset"
        | "__memcpy_chk" | "__strcpy_chk" | "__strcat_chk" | "__memset_chk" | "__memmove_chk" => {
            writing(Writes::Arguments, Gives::FirstArgument)
        }
        "sprintf" | "snprintf" | "vsprintf" | "vsnprintf" | "strtod" | "time" | "gettimeofday"
        | "clock_gettime" | "stat" | "fstat" | "lstat" | "sigaction" | "sigemptyset"
        | "localtime_r" | "gmtime_r" | "pipe" | "frexp" | "modf" | "strftime" | "getcwd" => {
            writing(Writes::Arguments, Gives::Anything)
        }
        _ => return None,
    })
}

/// Does the function do more than its model can say? It calls whom it is given, comes back elsewhere, lets something happen
/// later, or gives memory of its own that the next call of it writes. Who proves something has to know that.
pub fn does_more(name: &str) -> bool {
    matches!(
        name,
        "qsort"
            | "bsearch"
            | "sigaction"
            | "longjmp"
            | "siglongjmp"
            | "_longjmp"
            | "__longjmp_chk"
            | "pthread_exit"
            | "localtime"
            | "gmtime"
            | "ctime"
            | "asctime"
            | "strerror"
            | "setlocale"
            | "readdir"
            | "getenv"
            | "secure_getenv"
            | "getpwnam"
            | "getpwuid"
            | "getgrnam"
            | "getgrgid"
            | "gethostbyname"
            | "ttyname"
            | "getlogin"
    )
}

impl Model {
    /// The number that a call gives, if it is one that the model knows.
    pub fn number(&self) -> Option<Number> {
        match self.gives {
            Gives::Input(low, high) => Some(Number::outside(low, high)),
            Gives::Number(low, high) => Some(Number::range(low, high)),
            _ => None,
        }
    }
}
