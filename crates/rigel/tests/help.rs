//! What a newcomer reads first.

mod common;

use common::Project;
use expect_test::{Expect, expect};

fn check(args: &[&str], expected: Expect) {
    expected.assert_eq(&Project::new(&[]).rigel(args));
}

#[test]
fn help() {
    check(
        &["--help"],
        expect![[r#"
            Finds errors in C and C++ programs

            Usage: rigel <COMMAND>

            Commands:
              check    Find the errors of a program, each with the path that leads to it
              build    Run a build, learn from it how every file is compiled, then check the program
              explain  Show one finding with its whole path and all lines that lead to it, or say why it is not
                       reported
              summary  Say of each function with which inputs it fails, comes back, or never ends
              ir       Print a program as rigel sees it: its control-flow automata
              rules    List the rules, or explain one
              run      Run a program in the interpreter, with every check on
              verify   Say whether a property holds of every run of a program: TRUE, FALSE or UNKNOWN
              bp       Check a Boolean program: can an assertion fail, through which statements, and how

            Options:
              -h, --help     Print help
              -V, --version  Print version

            Exit codes: 0 nothing found, 1 something found, 2 the run itself failed (the reason is on standard
            error; what could be analysed still was).
            = exit 0
        "#]],
    );
}

#[test]
fn help_of_check() {
    check(
        &["check", "--help"],
        expect![[r#"
            Find the errors of a program, each with the path that leads to it

            All FILEs (or all files of the compile database) together are one program. It is analysed, not run:
            every function is searched for paths on which one of its checks fails (`rigel rules` lists what is
            checked). No input is needed.

            The report is on standard output, what became of all checks on the last line of standard error.

            Usage: rigel check [OPTIONS] [FILE]... [-- <CLANG_ARGS>...]

            Arguments:
              [FILE]...
                      Source files, or directories of them

              [CLANG_ARGS]...
                      Flags for the compiler, such as -Iinclude -DNAME=1

            Options:
              -p <BUILD_DIR>
                      The build directory that has compile_commands.json (or that file itself)

                  --jobs <N>
                      Processes and threads at the same time [default: one for each processor]

                  --models <FILE>
                      What functions do that have no source, as conditions: `int f(int n) where { OK: res > n,
                      ERR: n == 0 }` (`rigel rules precondition` tells more; may be given several times). A file
                      that ends in .toml says it in tables: `[my_alloc]` `like = "malloc"` (see the README)

                  --rules <RULES>
                      The rules to show: a list such as null-dereference,out-of-bounds, or all [default: those
                      that `rigel rules` does not mark as "only with --rules"]

                  --format <FORMAT>
                      For people (text), for programs (json), or for the tools that collect reports (sarif)

                      [default: text]
                      [possible values: text, json, sarif]

              -o <OUT>
                      Write the report to this file instead of standard output

                  --latent
                      Show also errors that need an input that nothing in the program gives or tests for; they
                      are notes, and do not change the exit code

                  --path <PATH>
                      Of each path the steps that matter, or every step

                      [default: short]
                      [possible values: short, full]

                  --color <COLOR>
                      Colours in the text: on a terminal, or as you say

                      [default: auto]
                      [possible values: auto, always, never]

                  --verbose
                      Show also what stayed undecided or was refuted, which functions were given up, what was
                      not treated exactly, and rigel's own failures

                  --stats
                      Say what was read, what could not be modelled, what became of the checks, and what it
                      cost; the program is analysed for it, even if the answer is known from an earlier run

                  --precision <N>
                      How hard to try: 0 reports each path that the search finds; 1 drops those that intervals
                      and equalities along the path refute; 2 asks a solver; 3 gives it twenty times as long

                      [default: 2]

                  --solver <COMMAND>
                      A solver to ask instead of Z3 in process: a command that reads SMT-LIB 2, such as "cvc5
                      --lang smt2" or "yices-smt2 --incremental"

                  --search <SEARCH>
                      What the search leaves out: only what it has seen (dfs), what other states cover
                      (covering), or also the covered part of a state (differencing). While states are merged,
                      dfs is the same as covering

                      [default: covering]
                      [possible values: dfs, covering, differencing]

                  --aggregate <AGGREGATE>
                      Merge the states of a place in the program: much faster; `off` keeps every state apart

                      [default: on]
                      [possible values: on, off]

                  --noreturn <NAME>
                      A function that never returns, by its name or linkage name (may be given several times)

                  --rule-file <FILE>
                      Rules of your own: what may follow what, as states and patterns: `start: lock(l) ->
                      locked` (docs/user-rules.md has the language; may be given several times). They are shown
                      unless --rules says otherwise

                  --fresh
                      Do everything anew, whatever earlier runs left behind; what this run learns is kept for
                      later ones

                  --cache <DIR>
                      Where to keep what later runs can use, so that an edit costs what it changes; `none` keeps
                      nothing [default: RIGEL_CACHE, else .rigel beside the compile database, else .rigel here]

                  --watch
                      Stay, check again whenever a source, a header or the compile database is saved, and say
                      what appeared and what went away; in json, one object on a line for each round. Ctrl-C
                      ends it, with the exit code of the last round

              -h, --help
                      Print help (see a summary with '-h')

            Examples:
              rigel check main.c list.c          these two files are the program
              rigel check main.c -- -Iinclude    with the flags that its compiler needs
              rigel check examples/quickstart    every source file in a directory
              rigel check -p build               all that build/compile_commands.json compiles
              rigel check                        the same, with the database found here or above
              rigel check --watch                and again after every save

            Exit codes: 0 nothing found, 1 something found, 2 the run itself failed.
            = exit 0
        "#]],
    );
}

#[test]
fn help_of_explain() {
    check(
        &["explain", "--help"],
        expect![[r#"
            Show one finding with its whole path and all lines that lead to it, or say why it is not reported

            The program is analysed as `rigel check` does, so give the same files and options; without files,
            those of the last `check` here are taken. ID is what `check` prints as `id`, or its beginning if
            that is enough; also of what `check --verbose` and `check --latent` show besides. Steps with a star
            are those that matter.

            Usage: rigel explain [OPTIONS] <ID> [FILE]... [-- <CLANG_ARGS>...]

            Arguments:
              <ID>
                      The finding, by its id

              [FILE]...
                      Source files, or directories of them

              [CLANG_ARGS]...
                      Flags for the compiler, such as -Iinclude -DNAME=1

            Options:
              -p <BUILD_DIR>
                      The build directory that has compile_commands.json (or that file itself)

                  --jobs <N>
                      Processes and threads at the same time [default: one for each processor]

                  --models <FILE>
                      What functions do that have no source, as conditions: `int f(int n) where { OK: res > n,
                      ERR: n == 0 }` (`rigel rules precondition` tells more; may be given several times). A file
                      that ends in .toml says it in tables: `[my_alloc]` `like = "malloc"` (see the README)

                  --why-not
                      Of a finding that is not reported: why not. If it is refuted, the steps that contradict
                      each other; if it is latent, the input that it needs; if it is undecided, what ended first

                  --through <FILE:LINE>
                      A failing path through this line, instead of the one that was found; or that there is none

                  --state <FILE:LINE>
                      What holds at this line on all failing runs, as far as it decides about the error

                  --from <FUNCTION>
                      Where failing runs begin: at the entry of this function, whatever its callers do [default:
                      where the path of the finding begins]

                  --rules <RULES>
                      The rules that `check` was told to show

                  --format <FORMAT>
                      For people (text), for programs (json), or the error projection for Graphviz (dot)

                      [default: text]
                      [possible values: text, json, dot]

                  --color <COLOR>
                      Colours in the text: on a terminal, or as you say

                      [default: auto]
                      [possible values: auto, always, never]

                  --precision <N>
                      How hard to try: 0 reports each path that the search finds; 1 drops those that intervals
                      and equalities along the path refute; 2 asks a solver; 3 gives it twenty times as long

                      [default: 2]

                  --solver <COMMAND>
                      A solver to ask instead of Z3 in process: a command that reads SMT-LIB 2, such as "cvc5
                      --lang smt2" or "yices-smt2 --incremental"

                  --search <SEARCH>
                      What the search leaves out: only what it has seen (dfs), what other states cover
                      (covering), or also the covered part of a state (differencing). While states are merged,
                      dfs is the same as covering

                      [default: covering]
                      [possible values: dfs, covering, differencing]

                  --aggregate <AGGREGATE>
                      Merge the states of a place in the program: much faster; `off` keeps every state apart

                      [default: on]
                      [possible values: on, off]

                  --noreturn <NAME>
                      A function that never returns, by its name or linkage name (may be given several times)

                  --rule-file <FILE>
                      Rules of your own: what may follow what, as states and patterns: `start: lock(l) ->
                      locked` (docs/user-rules.md has the language; may be given several times). They are shown
                      unless --rules says otherwise

                  --fresh
                      Do everything anew, whatever earlier runs left behind; what this run learns is kept for
                      later ones

                  --cache <DIR>
                      Where to keep what later runs can use, so that an edit costs what it changes; `none` keeps
                      nothing [default: RIGEL_CACHE, else .rigel beside the compile database, else .rigel here]

              -h, --help
                      Print help (see a summary with '-h')

            Examples:
              rigel explain b87ec2                   a finding of the last run of check here
              rigel explain b87ec2 main.c list.c     every step of the path, and all lines that failing runs can
              pass
              rigel explain b87ec2 -p build --through list.c:31
              rigel explain b87ec2 -p build --state list.c:31
              rigel explain b87ec2 -p build --why-not

            Exit codes: 0 the finding is not reported (refuted, latent, undecided), 1 it is reported, 2 there
            is no such finding or line, or the run itself failed. With --through: 0 no failing run passes the
            line, which is proved, 1 one does (a run can take the path), 3 neither is known. With --state: 0 the
            same, 1 what holds there is said, 3 nothing is known.
            = exit 0
        "#]],
    );
}

#[test]
fn help_of_build() {
    check(
        &["build", "--help"],
        expect![[r#"
            Run a build, learn from it how every file is compiled, then check the program

            Works with any build that finds its compiler (cc, gcc, clang, c++, g++, clang++, also with a version
            or a target in the name) on PATH or in CC and CXX. The commands are kept in
            .rigel/compile_commands.json, where a later `rigel check` finds them.

            Usage: rigel build [OPTIONS] -- <COMMAND>...

            Arguments:
              <COMMAND>...
                      The build, as you would start it yourself

            Options:
                  --rules <RULES>
                      The rules to show: a list such as null-dereference,out-of-bounds, or all [default: those
                      that `rigel rules` does not mark as "only with --rules"]

                  --format <FORMAT>
                      For people (text), for programs (json), or for the tools that collect reports (sarif)

                      [default: text]
                      [possible values: text, json, sarif]

              -o <OUT>
                      Write the report to this file instead of standard output

                  --latent
                      Show also errors that need an input that nothing in the program gives or tests for; they
                      are notes, and do not change the exit code

                  --path <PATH>
                      Of each path the steps that matter, or every step

                      [default: short]
                      [possible values: short, full]

                  --color <COLOR>
                      Colours in the text: on a terminal, or as you say

                      [default: auto]
                      [possible values: auto, always, never]

                  --verbose
                      Show also what stayed undecided or was refuted, which functions were given up, what was
                      not treated exactly, and rigel's own failures

                  --stats
                      Say what was read, what could not be modelled, what became of the checks, and what it
                      cost; the program is analysed for it, even if the answer is known from an earlier run

                  --precision <N>
                      How hard to try: 0 reports each path that the search finds; 1 drops those that intervals
                      and equalities along the path refute; 2 asks a solver; 3 gives it twenty times as long

                      [default: 2]

                  --solver <COMMAND>
                      A solver to ask instead of Z3 in process: a command that reads SMT-LIB 2, such as "cvc5
                      --lang smt2" or "yices-smt2 --incremental"

                  --search <SEARCH>
                      What the search leaves out: only what it has seen (dfs), what other states cover
                      (covering), or also the covered part of a state (differencing). While states are merged,
                      dfs is the same as covering

                      [default: covering]
                      [possible values: dfs, covering, differencing]

                  --aggregate <AGGREGATE>
                      Merge the states of a place in the program: much faster; `off` keeps every state apart

                      [default: on]
                      [possible values: on, off]

                  --noreturn <NAME>
                      A function that never returns, by its name or linkage name (may be given several times)

                  --rule-file <FILE>
                      Rules of your own: what may follow what, as states and patterns: `start: lock(l) ->
                      locked` (docs/user-rules.md has the language; may be given several times). They are shown
                      unless --rules says otherwise

                  --fresh
                      Do everything anew, whatever earlier runs left behind; what this run learns is kept for
                      later ones

                  --cache <DIR>
                      Where to keep what later runs can use, so that an edit costs what it changes; `none` keeps
                      nothing [default: RIGEL_CACHE, else .rigel beside the compile database, else .rigel here]

                  --jobs <N>
                      Processes and threads at the same time [default: one for each processor]

                  --models <FILE>
                      What functions do that have no source, as conditions: `int f(int n) where { OK: res > n,
                      ERR: n == 0 }` (`rigel rules precondition` tells more; may be given several times). A file
                      that ends in .toml says it in tables: `[my_alloc]` `like = "malloc"` (see the README)

                  --only-record
                      Only learn how the files are compiled: check later, with `rigel check`

              -h, --help
                      Print help (see a summary with '-h')

            Examples:
              rigel build -- make -j4
              make clean && rigel build --stats -- make CC=gcc

            Exit codes: 0 nothing found, 1 something found, 2 the build or the run itself failed.
            = exit 0
        "#]],
    );
}

#[test]
fn help_of_the_others() {
    check(
        &["ir", "-h"],
        expect![[r#"
            Print a program as rigel sees it: its control-flow automata

            Usage: rigel ir [OPTIONS] [FILE]... [-- <CLANG_ARGS>...]

            Arguments:
              [FILE]...        Source files, or directories of them
              [CLANG_ARGS]...  Flags for the compiler

            Options:
              -p <BUILD_DIR>          The build directory that has compile_commands.json (or that file itself)
                  --jobs <N>          Processes and threads at the same time [default: one for each processor]
                  --models <FILE>     What functions do that have no source, as conditions: `int f(int n) where
                                      { OK: res > n, ERR: n == 0 }` (`rigel rules precondition` tells more; may
                                      be given several times). A file that ends in .toml says it in tables:
                                      `[my_alloc]` `like = "malloc"` (see the README)
                  --function <NAME>   Only this function
                  --checks            With the checks of all rules put in
                  --rule-file <FILE>  Rules of your own: what may follow what, as states and patterns: `start:
                                      lock(l) -> locked` (docs/user-rules.md has the language; may be given
                                      several times). They are shown unless --rules says otherwise
              -h, --help              Print help (see more with '--help')
            = exit 0
        "#]],
    );
    check(
        &["rules", "-h"],
        expect![[r#"
            List the rules, or explain one

            Usage: rigel rules [OPTIONS] [RULE]

            Arguments:
              [RULE]  The rule to explain, such as null-dereference

            Options:
                  --rule-file <FILE>  Rules of your own: what may follow what, as states and patterns: `start:
                                      lock(l) -> locked` (docs/user-rules.md has the language; may be given
                                      several times). They are shown unless --rules says otherwise
              -h, --help              Print help
            = exit 0
        "#]],
    );
    check(
        &["run", "--help"],
        expect![[r#"
            Run a program in the interpreter, with every check on

            Standard input and output are the program's. The first check that fails ends the run; the report is
            on standard error. The exit code is the program's own, 1 if a check failed, and 2 if the program
            could not be run.

            Usage: rigel run [OPTIONS] [FILE]... [-- <ARGS>...]

            Arguments:
              [FILE]...
                      Source files, or directories of them

              [ARGS]...
                      Arguments for the program

            Options:
              -p <BUILD_DIR>
                      The build directory that has compile_commands.json (or that file itself)

                  --jobs <N>
                      Processes and threads at the same time [default: one for each processor]

                  --models <FILE>
                      What functions do that have no source, as conditions: `int f(int n) where { OK: res > n,
                      ERR: n == 0 }` (`rigel rules precondition` tells more; may be given several times). A file
                      that ends in .toml says it in tables: `[my_alloc]` `like = "malloc"` (see the README)

                  --flags <CLANG_ARGS>
                      Flags for the compiler, in one word

              -h, --help
                      Print help (see a summary with '-h')

            Examples:
              rigel run main.c list.c
              rigel run --flags '-Iinclude -DN=3' main.c -- first second
            = exit 0
        "#]],
    );
    check(
        &["verify", "--help"],
        expect![[r#"
            Say whether a property holds of every run of a program: TRUE, FALSE or UNKNOWN

            The FILEs are one program, which begins at main. TRUE is said only where all runs are proved to keep
            to the property, FALSE only where the interpreter was seen to violate it; else the lines above the
            verdict say what is missing. The verdict is the last word of the output.

            __VERIFIER_nondet_TYPE() gives any value of its type, __VERIFIER_assume(c) ends runs in which c is
            0; exit and abort end a run, and are no errors. Signed numbers wrap where neither they nor the end
            of runs are asked about; memory never runs out, and there is one thread.

            Usage: rigel verify [OPTIONS] --property <PROPERTY> <FILE>... [-- <CLANG_ARGS>...]

            Arguments:
              <FILE>...
                      The source files of the program

              [CLANG_ARGS]...
                      Flags for the compiler, such as -Iinclude -DNAME=1

            Options:
                  --property <PROPERTY>
                      What must hold of every run

                      Possible values:
                      - unreach-call: No call of reach_error or __VERIFIER_error, and no __VERIFIER_assert that
                        fails
                      - memsafety:    No access to memory that is not there, no address outside of an array, no
                        bad free, and nothing allocated gets lost
                      - no-overflow:  No signed operation has a result that its type cannot hold
                      - termination:  Every run ends

                  --data-model <MODEL>
                      How large `long` is on the machine that is meant. For ILP32, too, pointers and `size_t`
                      have 64 bits here, and the layout of structures is that of a 64-bit machine: do not ask
                      with it of programs for which these matter. Allocated objects that may be too small only
                      for that are no violation

                      Possible values:
                      - LP64:  64 bits
                      - ILP32: 32 bits

                      [default: LP64]

                  --format <FORMAT>
                      For people (text), or for programs (json)

                      [default: text]
                      [possible values: text, json]

              -h, --help
                      Print help (see a summary with '-h')

            Examples:
              rigel verify --property unreach-call task.c
              rigel verify --property no-overflow a.c b.c -- -Iinclude

            The JSON object has `version`, `tool`, `property`, `verdict` (TRUE, FALSE or UNKNOWN), `reasons` (a
            list of objects with `text`, `function`, `file`, `line`, `column`; all but the first are null where
            there is no place), and `inputs`: what the inputs were, in order, in the run that violates the
            property.

            Exit codes: 0 TRUE, 1 FALSE, 2 the run itself failed, 3 UNKNOWN (nothing was found, which is not the
            same as that there is nothing: a script that waits for 0 must not go on).
            = exit 0
        "#]],
    );
}

#[test]
fn the_list_of_rules() {
    check(
        &["rules"],
        expect![[r#"
            null-dereference   a null pointer is followed (CWE-476, CWE-690)
            dangling-return    the address of a local variable outlives the function (CWE-562)
            use-after-free     memory is used after it was freed or its scope was left (CWE-416, CWE-562, CWE-825)
            invalid-free       what is freed is no block of that allocator, or not its start (CWE-590, CWE-761, CWE-762, CWE-763)
            double-free        memory is freed a second time (CWE-415)
            use-after-close    a file, descriptor or directory is used after it was closed (CWE-910, CWE-672, CWE-1341)
            double-lock        a lock is taken by the thread that holds it (CWE-764, CWE-667)
            lock-leak          a function is left with a lock that it gives back on its other ways (CWE-667, CWE-772)
            out-of-bounds      memory is accessed outside of the array or object it belongs to (CWE-787, CWE-125, CWE-119)
            uninitialized-use  a value is used that was never set (CWE-457, CWE-908)
            division-by-zero   an integer is divided by zero (CWE-369)
            integer-overflow   a signed integer operation has a result that its type cannot hold (CWE-190, CWE-191; only with --rules)
            shift-range        a value is shifted by a negative amount, or by as many bits as it has (CWE-1335, CWE-758; only with --rules)
            assertion          an assertion of the program fails (CWE-617)
            precondition       a function is called with what its model says it fails on (CWE-628)
            infinite-loop      a loop never ends: a turn changes nothing on which it depends, or its way out cannot be taken (CWE-835)
            allocation-size    memory is allocated of a size that nobody has limited (CWE-789, CWE-770; only with --rules)
            wrap-around        unsigned or narrow arithmetic has a result that its type cannot hold (CWE-190, CWE-191, CWE-197; only with --rules)
            memory-leak        the last pointer to allocated memory is lost, and it was never freed (CWE-401)
            resource-leak      the last reference to something open is lost, and it was never closed (CWE-775, CWE-773, CWE-772, CWE-404)

            One in full: rigel rules RULE
            = exit 0
        "#]],
    );
}

#[test]
fn help_of_summary() {
    check(
        &["summary", "--help"],
        expect![[r#"
            Say of each function with which inputs it fails, comes back, or never ends

            Conditions are C over the parameters, and over what is behind them when the function is called.
            `len(p)` is the number of bytes from `p` to the end of its object, `offset(p)` that from the
            object's beginning to `p`, `alive(p)` whether it is there, `initialized(x)` whether it has been
            written, `filled(p)` whether all of p's object has; `…` stands for other inputs that would take too
            long to say. Nothing overflows in a condition. Functions that it calls are known by their own
            conditions, as far as they are in view; others may return anything.

            A function *must* fail if every run with such inputs fails or never ends; it *may* if rigel knows of
            nothing that prevents it, nor of anything that makes it sure. Both are about all checks, also those
            of rules that `check` shows only with --rules.

            Usage: rigel summary [OPTIONS] [FILE]... [-- <CLANG_ARGS>...]

            Arguments:
              [FILE]...
                      Source files, or directories of them

              [CLANG_ARGS]...
                      Flags for the compiler, such as -Iinclude -DNAME=1

            Options:
              -p <BUILD_DIR>
                      The build directory that has compile_commands.json (or that file itself)

                  --jobs <N>
                      Processes and threads at the same time [default: one for each processor]

                  --models <FILE>
                      What functions do that have no source, as conditions: `int f(int n) where { OK: res > n,
                      ERR: n == 0 }` (`rigel rules precondition` tells more; may be given several times). A file
                      that ends in .toml says it in tables: `[my_alloc]` `like = "malloc"` (see the README)

                  --function <NAME>
                      Only this function, by its name or linkage name (may be given several times)

                  --format <FORMAT>
                      For people (text), or for programs (json)

                      [default: text]
                      [possible values: text, json]

              -h, --help
                      Print help (see a summary with '-h')

            Examples:
              rigel summary list.c                        every function of the file
              rigel summary -p build --function insert    this one
              rigel summary --format json list.c -- -Iinclude

            The JSON object has `version`, `tool`, `too_much` (how many functions went beyond the budget, and
            are known to their callers by `one_case` each, by `ranges` of numbers, or `not_known`) and
            `functions`; each of these has `name`, `linkage_name`, `signature`, `file`, `line`, `column`,
            `checks` (how many there are), `proved` (how many cannot fail), `given` (what conditions with
            `valid_pointers` take for granted of the inputs, a list of conditions), `calls_unknown` (something
            that it calls is not known, and taken to come back and not to fail), `calls_declared` (something
            that it calls, or that is called there, is only declared, and taken to do nothing wrong),
            `calls_strangers` (and of that nobody knows whether it comes back: it is taken to),
            `constants_overflow` (lines with operations on constants that overflow: no check is left of them),
            `returns`, `exits`, `must_fail`, `may_fail`, `never_fails`, `never_ends`, and `failing`, a list of
            checks that can fail with `rule`, `message`, `file`, `line`, `column`, `fails`, `must`, `may`. A
            condition is null if it is too complicated, else it has `text` (`true` and `false` are conditions,
            too), `exact` (false: it ends in `…`) and `valid_pointers` (true: of inputs for which what is
            `given` does not hold it says nothing). A function that was given up has `error`, a text, and
            neither conditions nor `proved`.

            Exit codes: 0 done, 2 the run itself failed.
            = exit 0
        "#]],
    );
}
