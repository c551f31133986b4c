//! `use-after-close`: see the documentation beside this file.

use crate::temporal::{
    Automaton, Label, Outcome, Pattern, State, Target, Transition, Valid, subject,
};
use crate::{Broken, Meta, Rule, Wording};

pub struct UseAfterClose;

const CLOSED: usize = 1;
const CLOSE: usize = 0;
const USE: usize = 1;
const OPENED: usize = 2;

const STATES: &[State] = &[
    State {
        name: "open",
        told: "",
    },
    State {
        name: "closed",
        told: "is closed",
    },
];

const TRANSITIONS: &[Transition] = &[
    Transition {
        from: 0,
        on: CLOSE,
        to: Target::State(CLOSED),
    },
    Transition {
        from: CLOSED,
        on: CLOSE,
        to: Target::Error,
    },
    Transition {
        from: CLOSED,
        on: USE,
        to: Target::Error,
    },
    // The same number, or the same address, is given out again.
    Transition {
        from: CLOSED,
        on: OPENED,
        to: Target::State(0),
    },
];

const fn handed(functions: &'static [&'static str], position: usize) -> Pattern {
    Pattern::Argument {
        functions,
        position,
        outcome: Outcome::Any,
    }
}

const CLOSE_STREAM: &[&str] = &["fclose", "pclose"];
const CLOSE_DESCRIPTOR: &[&str] = &["close"];
const CLOSE_DIRECTORY: &[&str] = &["closedir"];

const STREAM: Automaton = Automaton {
    states: STATES,
    labels: &[
        Label {
            name: "close",
            patterns: &[handed(CLOSE_STREAM, 0)],
            valid: Valid::NotZero,
        },
        Label {
            name: "use",
            patterns: &[
                handed(
                    &[
                        "fprintf",
                        "vfprintf",
                        "fscanf",
                        "__isoc99_fscanf",
                        "__isoc23_fscanf",
                        "vfscanf",
                        "fgetc",
                        "getc",
                        "getc_unlocked",
                        "_IO_getc",
                        "feof",
                        "ferror",
                        "clearerr",
                        "fflush",
                        "fseek",
                        "fseeko",
                        "ftell",
                        "ftello",
                        "rewind",
                        "fgetpos",
                        "fsetpos",
                        "fileno",
                        "setvbuf",
                        "setbuf",
                        "setlinebuf",
                        "flockfile",
                        "funlockfile",
                        "fwide",
                        "fgetwc",
                        "__fprintf_chk",
                    ],
                    0,
                ),
                handed(
                    &[
                        "fputs",
                        "fputc",
                        "putc",
                        "putc_unlocked",
                        "_IO_putc",
                        "ungetc",
                        "putw",
                        "fputwc",
                        "fputws",
                    ],
                    1,
                ),
                handed(&["fgets", "getline", "freopen", "fgetws"], 2),
                handed(&["fread", "fwrite", "getdelim"], 3),
            ],
            valid: Valid::NotZero,
        },
        Label {
            name: "opened",
            patterns: &[Pattern::Result {
                functions: &[
                    "fopen",
                    "fopen64",
                    "fdopen",
                    "freopen",
                    "popen",
                    "tmpfile",
                    "fmemopen",
                    "open_memstream",
                ],
            }],
            valid: Valid::NotZero,
        },
    ],
    transitions: TRANSITIONS,
    library_only: true,
    by_callees: &[],
    void_if_called: &[],
    zero_at_first: false,
    needs: None,
    goes_on: false,
};

const DESCRIPTOR: Automaton = Automaton {
    states: STATES,
    labels: &[
        Label {
            name: "close",
            patterns: &[Pattern::Argument {
                functions: CLOSE_DESCRIPTOR,
                position: 0,
                // Programs try again after EINTR.
                outcome: Outcome::Zero,
            }],
            valid: Valid::NotNegative,
        },
        Label {
            name: "use",
            patterns: &[
                handed(
                    &[
                        "read",
                        "write",
                        "pread",
                        "pwrite",
                        "pread64",
                        "pwrite64",
                        "readv",
                        "writev",
                        "lseek",
                        "lseek64",
                        "fstat",
                        "fstat64",
                        "ftruncate",
                        "ftruncate64",
                        "fsync",
                        "fdatasync",
                        "fchmod",
                        "fchown",
                        "fchdir",
                        "flock",
                        "lockf",
                        "ioctl",
                        "fcntl",
                        "fcntl64",
                        "dup",
                        "dup2",
                        "dup3",
                        "isatty",
                        "ttyname",
                        "tcgetattr",
                        "tcsetattr",
                        "fdopen",
                        "fdopendir",
                        "send",
                        "sendto",
                        "sendmsg",
                        "recv",
                        "recvfrom",
                        "recvmsg",
                        "bind",
                        "listen",
                        "accept",
                        "accept4",
                        "connect",
                        "shutdown",
                        "setsockopt",
                        "getsockopt",
                        "getsockname",
                        "getpeername",
                        "futimens",
                        "posix_fallocate",
                        "posix_fadvise",
                    ],
                    0,
                ),
                handed(&["mmap", "mmap64"], 4),
            ],
            valid: Valid::NotNegative,
        },
        Label {
            name: "opened",
            patterns: &[
                Pattern::Result {
                    functions: &[
                        "open",
                        "open64",
                        "openat",
                        "openat64",
                        "creat",
                        "socket",
                        "accept",
                        "accept4",
                        "dup",
                        "dup2",
                        "dup3",
                        "fcntl",
                        "fcntl64",
                        "fileno",
                        "dirfd",
                        "mkstemp",
                        "mkstemp64",
                        "epoll_create",
                        "epoll_create1",
                        "eventfd",
                        "timerfd_create",
                        "signalfd",
                        "inotify_init",
                        "inotify_init1",
                        "memfd_create",
                        "shm_open",
                    ],
                },
                handed(&["dup2", "dup3"], 1),
            ],
            valid: Valid::NotNegative,
        },
    ],
    transitions: TRANSITIONS,
    library_only: true,
    by_callees: &[],
    void_if_called: &[],
    zero_at_first: false,
    needs: None,
    goes_on: false,
};

const DIRECTORY: Automaton = Automaton {
    states: STATES,
    labels: &[
        Label {
            name: "close",
            patterns: &[handed(CLOSE_DIRECTORY, 0)],
            valid: Valid::NotZero,
        },
        Label {
            name: "use",
            patterns: &[handed(
                &[
                    "readdir",
                    "readdir64",
                    "readdir_r",
                    "rewinddir",
                    "seekdir",
                    "telldir",
                    "dirfd",
                ],
                0,
            )],
            valid: Valid::NotZero,
        },
        Label {
            name: "opened",
            patterns: &[Pattern::Result {
                functions: &["opendir", "fdopendir"],
            }],
            valid: Valid::NotZero,
        },
    ],
    transitions: TRANSITIONS,
    library_only: true,
    by_callees: &[],
    void_if_called: &[],
    zero_at_first: false,
    needs: None,
    goes_on: false,
};

static AUTOMATA: [Automaton; 3] = [STREAM, DESCRIPTOR, DIRECTORY];

impl Rule for UseAfterClose {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "use-after-close",
            summary: "a file, descriptor or directory is used after it was closed",
            cwe: &[910, 672, 1341],
            docs: include_str!("use-after-close.md"),
            shown_by_default: true,
        }
    }

    fn automata(&self) -> &'static [Automaton] {
        &AUTOMATA
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let Some(value) = subject(broken.program, broken.body, broken.condition) else {
            return broken.plain(self.meta().summary);
        };
        let text = broken.expr(value);
        let closes = |name: &str| {
            [CLOSE_STREAM, CLOSE_DESCRIPTOR, CLOSE_DIRECTORY]
                .iter()
                .any(|all| all.contains(&name))
        };
        match broken.call() {
            Some((name, _)) if closes(name) => Wording::new(
                format!("`{text}` is closed, but it was closed before"),
                format!("{text} closed again"),
            ),
            _ => Wording::new(
                format!("`{text}` is used after it was closed"),
                format!("{text} used"),
            ),
        }
    }
}
