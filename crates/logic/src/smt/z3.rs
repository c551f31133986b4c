//! Z3 in this process, as a library that is looked for when it is first needed.
//!
//! Of Z3's interface, nine functions are enough, since one of them executes SMT-LIB 2 text. That
//! costs no more than a few microseconds for a fact, and makes Z3 one more solver behind the same
//! [`Session`](super::Session) as those over a pipe. rigel runs without the library: then
//! questions that the built-in prover cannot settle stay open.
//!
//! A restart is a new context (0.7 ms with its first command), so that no answer depends on what
//! was asked before. `(reset)` would be cheaper (0.2 ms), but numbers terms in an order that depends on
//! the past, and so may find other models.

#![allow(unsafe_code)] // A C library. Each use says why it is sound.

use super::session::{Transport, Trouble};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Config = *mut c_void;
type Context = *mut c_void;
type ErrorHandler = extern "C" fn(Context, c_int);

/// The part of Z3's interface that is used, as `z3_api.h` declares it.
struct Functions {
    mk_config: unsafe extern "C" fn() -> Config,
    del_config: unsafe extern "C" fn(Config),
    mk_context: unsafe extern "C" fn(Config) -> Context,
    del_context: unsafe extern "C" fn(Context),
    set_error_handler: unsafe extern "C" fn(Context, Option<ErrorHandler>),
    get_error_code: unsafe extern "C" fn(Context) -> c_int,
    eval: unsafe extern "C" fn(Context, *const c_char) -> *const c_char,
}

/// Errors are read from the answers. A handler must be there, and must return.
extern "C" fn ignore(_: Context, _: c_int) {}

/// A loaded Z3, for any number of contexts in any number of threads.
#[derive(Clone)]
pub struct Library {
    functions: Arc<Functions>,
    version: String,
    path: PathBuf,
}

/// The oldest version that is used. Older ones are slower, and differ in what they accept.
const OLDEST: (u32, u32) = (4, 12);

/// Where the library may be, in this order: what the user names (`$RIGEL_Z3`), beside the executable,
/// where packages put it, where `./x` does, and wherever the system looks.
pub fn candidates(named: Option<PathBuf>, executable: Option<&Path>) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = named.into_iter().collect();
    if let Some(directory) = executable.and_then(Path::parent) {
        all.push(directory.join("libz3.so"));
        all.push(directory.join("../lib/rigel/libz3.so"));
        all.push(directory.join("../z3/libz3.so"));
    }
    all.push("libz3.so".into());
    all
}

/// The first of the candidates that is there, and new enough. A candidate without a directory is
/// looked for where the system looks.
pub fn load(candidates: &[PathBuf]) -> Result<Library, String> {
    let mut refused = Vec::new();
    for path in candidates {
        let bare = path.parent().is_none_or(|p| p.as_os_str().is_empty());
        if !bare && !path.exists() {
            continue;
        }
        match open(path) {
            Ok(library) => return Ok(library),
            Err(what) => refused.push(format!("{}: {what}", path.display())),
        }
    }
    Err(match refused.as_slice() {
        [] => "Z3 (libz3.so) was not found".into(),
        _ => format!("Z3 could not be loaded: {}", refused.join("; ")),
    })
}

fn open(path: &Path) -> Result<Library, String> {
    // SAFETY: loading runs the library's initialisers. Z3's set up its tables, and nothing else.
    let library = unsafe { libloading::Library::new(path) }
        .map_err(|error| super::session::brief(&error.to_string()))?;
    // Never unloaded: Z3 has static objects, and contexts may outlive this value.
    let library: &'static libloading::Library = Box::leak(Box::new(library));
    macro_rules! function {
        ($name:literal as $type:ty) => {
            // SAFETY: the type is that of z3_api.h, unchanged since version 4.
            *unsafe { library.get::<$type>($name) }
                .map_err(|error| super::session::brief(&error.to_string()))?
        };
    }
    let numbers = function!(
        b"Z3_get_version\0"
            as unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint)
    );
    let (mut major, mut minor, mut build, mut revision) = (0, 0, 0, 0);
    // SAFETY: four places to write to.
    unsafe { numbers(&mut major, &mut minor, &mut build, &mut revision) };
    if (major, minor) < OLDEST {
        let (a, b) = OLDEST;
        return Err(format!(
            "it is version {major}.{minor}, and {a}.{b} is needed"
        ));
    }
    let set =
        function!(b"Z3_global_param_set\0" as unsafe extern "C" fn(*const c_char, *const c_char));
    // Or else Z3 writes warnings to standard error.
    // SAFETY: two C strings, which Z3 copies.
    unsafe { set(c"warning".as_ptr(), c"false".as_ptr()) };
    let functions = Functions {
        mk_config: function!(b"Z3_mk_config\0" as unsafe extern "C" fn() -> Config),
        del_config: function!(b"Z3_del_config\0" as unsafe extern "C" fn(Config)),
        mk_context: function!(b"Z3_mk_context\0" as unsafe extern "C" fn(Config) -> Context),
        del_context: function!(b"Z3_del_context\0" as unsafe extern "C" fn(Context)),
        set_error_handler: function!(
            b"Z3_set_error_handler\0" as unsafe extern "C" fn(Context, Option<ErrorHandler>)
        ),
        get_error_code: function!(b"Z3_get_error_code\0" as unsafe extern "C" fn(Context) -> c_int),
        eval: function!(
            b"Z3_eval_smtlib2_string\0"
                as unsafe extern "C" fn(Context, *const c_char) -> *const c_char
        ),
    };
    Ok(Library {
        functions: Arc::new(functions),
        version: format!("{major}.{minor}.{build}"),
        path: path.to_path_buf(),
    })
}

impl Library {
    pub fn version(&self) -> &str {
        &self.version
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A solver of its own.
    pub fn solver(&self) -> Z3 {
        Z3 {
            library: self.clone(),
            context: None,
        }
    }
}

/// A solver in this process.
pub struct Z3 {
    library: Library,
    /// Made when the first question comes.
    context: Option<Context>,
}

// SAFETY: a context may be used by one thread at a time, whichever; it is owned by this value, which
// gives it to nobody.
unsafe impl Send for Z3 {}

impl Z3 {
    fn context(&mut self) -> Result<Context, Trouble> {
        if let Some(context) = self.context {
            return Ok(context);
        }
        let f = &self.library.functions;
        // SAFETY: the configuration lives until the context is made, as the interface asks for.
        let context = unsafe {
            let config = (f.mk_config)();
            let context = (f.mk_context)(config);
            (f.del_config)(config);
            context
        };
        if context.is_null() {
            return Err(Trouble("could not begin".into()));
        }
        // SAFETY: the context is alive, and the handler does nothing.
        unsafe { (f.set_error_handler)(context, Some(ignore)) };
        self.context = Some(context);
        Ok(context)
    }
}

impl Transport for Z3 {
    fn name(&self) -> String {
        format!("z3 {}", self.library.version)
    }

    fn ask(&mut self, commands: &str) -> Result<String, Trouble> {
        let context = self.context()?;
        let f = &self.library.functions;
        let commands =
            CString::new(commands).map_err(|_| Trouble("was asked with a NUL".into()))?;
        // SAFETY: the context is alive and used by this thread only; the answer is a C string
        // that lives until the next call, and is copied.
        let answer = unsafe {
            let answer = (f.eval)(context, commands.as_ptr());
            if answer.is_null() {
                let code = (f.get_error_code)(context);
                return Err(Trouble(format!("failed with error {code}")));
            }
            CStr::from_ptr(answer).to_string_lossy().into_owned()
        };
        Ok(answer)
    }

    fn restart(&mut self) {
        if let Some(context) = self.context.take() {
            // SAFETY: the context was alive, and is forgotten.
            unsafe { (self.library.functions.del_context)(context) };
        }
    }

    /// No logic is stated: `QF_BV` doubles what Z3 takes for questions of our kind.
    fn preamble(&self) -> String {
        "(set-option :produce-unsat-cores true)\n".into()
    }

    fn limit(&self, budget: u64) -> String {
        // A limit of 0 would be none; and it is read as 32 bits.
        let budget = budget.clamp(1, u64::from(u32::MAX));
        format!("(set-option :rlimit {budget})\n")
    }
}

impl Drop for Z3 {
    fn drop(&mut self) {
        self.restart();
    }
}
