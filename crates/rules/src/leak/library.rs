//! What the C library does with what it is handed: nearly all of it only looks.

/// Does the library function of this linkage name neither keep nor release what it is handed?
pub fn only_borrows(name: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "str", "wcs", "wmem", "is", "to", "__isoc99_", "__isoc23_", "__ctype_", "llvm.", "__builtin_", "pthread_mutex_",
        "__rigel_", "__printf", "__fprintf", "__sprintf", "__snprintf", "__vsnprintf", "__fgets", "__fread", "__read_chk",
        "__mem", "__str", "sqrt", "pow", "at", "f2", "inet_", "__fdelt",
    ];
    // `strdup` and its like give something of their own, and keep nothing.
    const OTHERS: &[&str] = &[
        "printf", "vprintf", "fprintf", "vfprintf", "dprintf", "vdprintf", "sprintf", "vsprintf", "snprintf", "vsnprintf",
        "asprintf", "vasprintf", "wprintf", "fwprintf", "swprintf", "vwprintf", "vfwprintf", "vswprintf", "scanf", "fscanf", "sscanf",
        "vsscanf", "vfscanf", "vscanf", "fwscanf", "swscanf", "puts", "fputs", "fputc", "putc", "putchar", "fputws", "fputwc",
        "putwc", "fgets", "fgetc", "getc", "fgetws", "fgetwc", "getwc", "ungetc", "getline", "getdelim", "fread", "fwrite", "fflush",
        "fseek", "fseeko", "fseeko64", "ftell", "ftello", "ftello64", "rewind", "fgetpos", "fsetpos", "feof", "ferror", "clearerr", "fileno",
        "fread_unlocked", "fwrite_unlocked", "getc_unlocked", "putc_unlocked", "_IO_getc", "_IO_putc",
        "setlinebuf", "flockfile", "funlockfile", "fwide", "putw", "getw", "perror", "vsyslog", "syslog", "openat64",
        "memcpy", "memmove", "memset", "memcmp", "memchr", "memrchr", "mempcpy", "memccpy", "memmem", "rawmemchr", "bcopy", "bzero",
        "bcmp", "explicit_bzero", "stpcpy", "stpncpy", "index", "rindex", "ffs", "qsort", "qsort_r", "bsearch", "basename",
        "dirname", "realpath", "getcwd", "getenv", "setenv", "unsetenv", "system", "popen", "fopen", "fopen64", "freopen",
        "open", "open64", "openat", "creat", "creat64", "access", "faccessat", "stat", "stat64", "lstat", "lstat64", "fstat", "fstat64", "fstatat", "statfs", "statvfs",
        "fstatfs", "fstatvfs", "__xstat", "__lxstat", "__fxstat", "unlink", "unlinkat", "remove", "rename", "renameat", "link", "linkat", "symlink", "readlink", "readlinkat", "mkdir",
        "mkdirat", "rmdir", "chdir", "fchdir", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "truncate", "truncate64", "ftruncate", "ftruncate64",
        "utime", "utimes", "futimes", "futimens", "utimensat", "mkfifo", "mknod", "mkstemp", "mkstemps", "mkdtemp", "mktemp", "tmpnam", "opendir", "readdir", "readdir64", "readdir_r", "rewinddir", "seekdir",
        "telldir", "dirfd", "scandir", "fnmatch", "glob", "read", "write", "pread", "pwrite", "pread64", "pwrite64", "readv", "writev", "preadv", "pwritev", "lseek",
        "lseek64", "fsync", "fdatasync", "sync_file_range", "posix_fadvise", "posix_fadvise64", "posix_fallocate", "fallocate", "flock", "lockf", "ioctl", "fcntl", "fcntl64", "isatty", "ttyname", "ttyname_r", "tcgetattr",
        "tcsetattr", "tcflush", "tcdrain", "tcsendbreak", "dup", "dup2", "dup3", "send", "sendto", "sendmsg", "sendfile", "sendfile64", "recv", "recvfrom", "recvmsg", "bind", "listen", "accept", "accept4", "connect",
        "shutdown", "setsockopt", "getsockopt", "getsockname", "getpeername", "select", "pselect", "sockatmark", "mmap", "mmap64", "mprotect", "msync", "madvise", "posix_madvise", "mlock", "munlock", "mincore",
        "getaddrinfo", "getnameinfo", "gethostbyname", "gethostbyaddr", "getservbyname", "getprotobyname", "gethostname", "getpwnam", "getgrnam", "htons", "htonl",
        "ntohs", "ntohl", "time", "ctime", "ctime_r", "asctime", "asctime_r", "gmtime", "gmtime_r", "localtime", "localtime_r", "mktime", "timegm", "strftime", "difftime",
        "clock_gettime", "gettimeofday", "nanosleep", "wctomb", "wcrtomb", "mbtowc", "mbrtowc", "mblen", "mbrlen", "btowc",
        "mbstowcs", "wcstombs", "mbsrtowcs", "wcsrtombs", "mbsnrtowcs", "mbsinit", "abs", "labs", "rand_r", "srand", "setlocale", "execv", "execvp", "execve", "execl",
        "execlp", "execle", "posix_spawn", "posix_spawnp", "crypt", "getopt", "getopt_long", "regexec", "regcomp", "regerror", "malloc_usable_size",
        "towlower", "towupper", "iconv", "getrandom", "getentropy", "sem_wait", "sem_post", "wait", "waitpid", "uname", "getrlimit", "setrlimit", "sigaction", "sigemptyset", "sigaddset", "sigprocmask",
        "__errno_location", "__assert_fail", "__cxa_bad_cast", "__dynamic_cast", "ctermid", "cuserid", "if_nametoindex", "backtrace_symbols_fd", "pthread_cond_wait", "pthread_cond_signal",
        "pthread_cond_broadcast", "BIO_printf", "xattr", "fgetxattr", "fsetxattr", "getxattr", "setxattr", "times", "getgroups", "initgroups", "lldiv", "modf", "frexp", "nan",
    ];
    // Some of the beginnings are those of functions that keep what they are handed.
    const NOT: &[&str] = &["tolua", "atexit", "at_quick_exit", "isc_", "toys_", "atk_", "strbuf_"];
    let begins = |all: &[&str]| all.iter().any(|b| name.starts_with(b));
    OTHERS.contains(&name) || begins(BEGINNINGS) && !begins(NOT) && plain(name)
}

/// Is it a name of the C library, which has neither capitals nor many underscores?
fn plain(name: &str) -> bool {
    name.starts_with("llvm.") || name.starts_with("__") || name.starts_with("pthread_") || !name[1..].contains('_')
}

/// Does the library function only read what is behind what it is handed?
pub fn only_reads(name: &str) -> bool {
    crate::library::only_computes(name)
        || matches!(
            name,
            "printf" | "fprintf" | "vprintf" | "vfprintf" | "puts" | "fputs" | "putchar" | "perror" | "fwrite" | "write" | "strdup"
                | "strndup" | "wprintf" | "fwprintf" | "strtol" | "strtoul" | "access" | "fopen" | "open" | "wcslen" | "send" | "syslog"
        )
}

/// May the library function's result point into what it is handed at this position?
pub fn gives_back(name: &str, position: usize) -> bool {
    match name {
        "strcpy" | "strncpy" | "strcat" | "strncat" | "stpcpy" | "stpncpy" | "strchr" | "strrchr" | "strchrnul" | "index" | "rindex"
        | "strstr" | "strcasestr" | "strpbrk" | "strtok" | "strtok_r" | "__strtok_r" | "memcpy" | "memmove" | "memset" | "mempcpy"
        | "memccpy" | "memchr" | "memrchr" | "rawmemchr" | "memmem" | "fgets" | "gets" | "getcwd" | "basename" | "__xpg_basename"
        | "dirname" | "wcscpy" | "wcsncpy" | "wcscat" | "wcsncat" | "wcschr" | "wcsrchr" | "wcsstr" | "wcspbrk" | "wmemcpy" | "wmemmove"
        | "wmemset" | "wmemchr" | "fgetws" | "__strcpy_chk" | "__strncpy_chk" | "__strcat_chk" | "__strncat_chk" | "__memcpy_chk"
        | "__memmove_chk" | "__memset_chk" | "__dynamic_cast" => position == 0,
        "strsep" => position == 0,
        "realpath" | "bsearch" | "ctime_r" | "asctime_r" | "gmtime_r" | "localtime_r" | "inet_ntop" => position >= 1,
        _ => false,
    }
}
