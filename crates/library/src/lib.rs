//! What is known of functions that are not in view: libc, POSIX, the runtime of C++, and what users add.
//!
//! Engines and rules meet calls of functions that have no body in the program. All that they know of them is data, in one
//! place: readable files, one per family of headers (`models/*.toml`), of which [`function`] finds an entry by its linkage name. An
//! entry says only what is documented of the function; what it does not say is not known. No engine is named here, and no rule:
//! an entry says that a call gives memory or must not get a null, and who cares about that asks.
//!
//! ```text
//! [fgets]
//! writes  = "input"                                              any value can be in what it writes
//! gives   = "pointer or null"
//! follows = [0, 2]                                               a null there is followed
//! needs   = [{ arg = 0, write = "arg 1" }]                       so many bytes must be there
//! uses    = { arg = 2, of = "stream" }
//! ```
//!
//! A name that ends in `*` is a family: what holds of all functions whose names begin so and that have no entry of their own. `like` begins
//! with what another entry says, `also` names functions of which just the same is known.
//!
//! Users add entries of their own ([`Library::with`], [`install`]), which replace those here.

mod function;
mod problem;
mod read;
mod words;

pub use function::*;
pub use problem::Problem;
pub use words::Longest;

use rustc_hash::FxHashMap;
use std::sync::{OnceLock, PoisonError, RwLock};

/// The built-in models: the file's name and its text.
const FILES: &[(&str, &str)] = &[
    ("builtin.toml", include_str!("../models/builtin.toml")),
    ("ctype.toml", include_str!("../models/ctype.toml")),
    ("cxx.toml", include_str!("../models/cxx.toml")),
    ("dirent.toml", include_str!("../models/dirent.toml")),
    ("dlfcn.toml", include_str!("../models/dlfcn.toml")),
    ("errno.toml", include_str!("../models/errno.toml")),
    ("fcntl.toml", include_str!("../models/fcntl.toml")),
    ("glib.toml", include_str!("../models/glib.toml")),
    ("kernel.toml", include_str!("../models/kernel.toml")),
    ("locale.toml", include_str!("../models/locale.toml")),
    ("math.toml", include_str!("../models/math.toml")),
    ("mman.toml", include_str!("../models/mman.toml")),
    ("pthread.toml", include_str!("../models/pthread.toml")),
    ("pwd.toml", include_str!("../models/pwd.toml")),
    ("rigel.toml", include_str!("../models/rigel.toml")),
    ("setjmp.toml", include_str!("../models/setjmp.toml")),
    ("signal.toml", include_str!("../models/signal.toml")),
    ("socket.toml", include_str!("../models/socket.toml")),
    ("stat.toml", include_str!("../models/stat.toml")),
    ("stdio.toml", include_str!("../models/stdio.toml")),
    ("stdlib.toml", include_str!("../models/stdlib.toml")),
    ("string.toml", include_str!("../models/string.toml")),
    ("strings.toml", include_str!("../models/strings.toml")),
    ("termios.toml", include_str!("../models/termios.toml")),
    ("threads.toml", include_str!("../models/threads.toml")),
    ("time.toml", include_str!("../models/time.toml")),
    ("unistd.toml", include_str!("../models/unistd.toml")),
    ("verifier.toml", include_str!("../models/verifier.toml")),
    ("wchar.toml", include_str!("../models/wchar.toml")),
];

/// All that is known of functions by their names.
#[derive(Debug, Default)]
pub struct Library {
    /// In the order of their names.
    functions: Vec<Function>,
    by_name: FxHashMap<String, usize>,
    /// Families, the longest beginnings first.
    families: Vec<(String, usize)>,
    /// What users said: the files' names and texts.
    said: Vec<(String, String)>,
}

impl Library {
    fn new(functions: Vec<Function>) -> Library {
        let mut library = Library::default();
        for (at, f) in functions.iter().enumerate() {
            match f.name.strip_suffix('*') {
                Some(start) => library.families.push((start.to_string(), at)),
                None => {
                    library.by_name.insert(f.name.clone(), at);
                }
            }
        }
        library
            .families
            .sort_by_key(|(start, at)| (usize::MAX - start.len(), *at));
        library.functions = functions;
        library
    }

    /// What rigel comes with.
    pub fn built_in() -> &'static Library {
        static BUILT_IN: OnceLock<Library> = OnceLock::new();
        // That the files are right is tested; wrong ones would be as if they were not there.
        BUILT_IN.get_or_init(|| Library::read_built_in().unwrap_or_default())
    }

    /// The same, made anew, and what is wrong with it.
    pub fn read_built_in() -> Result<Library, Problem> {
        read::functions(FILES, &|_| None).map(Library::new)
    }

    /// With what a user knows: `files` are names and texts, of which the later replace what the earlier say.
    pub fn with(files: &[(&str, &str)]) -> Result<Library, Problem> {
        let mut all: Vec<Function> = Library::built_in().functions.clone();
        for file in files {
            let known = Library::new(all.clone());
            let mut added = read::functions(&[*file], &|name| known.function(name).cloned())?;
            added.iter_mut().for_each(|f| f.by_user = true);
            all.retain(|f| !added.iter().any(|a| a.name == f.name));
            all.extend(added);
            all.sort_by(|a, b| a.name.cmp(&b.name));
        }
        let mut library = Library::new(all);
        let said = files.iter();
        library.said = said
            .map(|(name, text)| (name.to_string(), text.to_string()))
            .collect();
        Ok(library)
    }

    /// What users said: the files' names and texts. All that this library says depends on nothing else.
    pub fn said(&self) -> &[(String, String)] {
        &self.said
    }

    /// What is known of the function of this linkage name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        let family = || {
            let found = self
                .families
                .iter()
                .find(|(start, _)| name.starts_with(start.as_str()));
            found.map(|(_, at)| *at)
        };
        let at = self.by_name.get(name).copied().or_else(family)?;
        self.functions.get(at)
    }

    /// All entries but the families, in the order of their names.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        let all = self.functions.iter();
        all.filter(|f| !f.name.ends_with('*'))
    }

    /// The names of those of which this holds.
    pub fn named(&self, which: impl Fn(&Function) -> bool) -> Vec<&str> {
        let all = self.functions().filter(|f| which(f));
        all.map(|f| f.name.as_str()).collect()
    }
}

/// What [`current`] gives, if it is not the built-in one.
static INSTALLED: RwLock<Option<&'static Library>> = RwLock::new(None);

/// From now on this is what is known; without one, what rigel comes with. There is one process and one user's models: whoever meets a
/// call asks for its name, wherever that is. A library that is replaced is not given back, since others may still hold what it said: some
/// kilobytes, each time that somebody edits a file of models under `rigel watch`.
pub fn install(library: Option<Library>) {
    let library = library.map(|library| &*Box::leak(Box::new(library)));
    *INSTALLED.write().unwrap_or_else(PoisonError::into_inner) = library;
}

/// What is known now.
pub fn current() -> &'static Library {
    let installed = *INSTALLED.read().unwrap_or_else(PoisonError::into_inner);
    installed.unwrap_or_else(Library::built_in)
}

/// What is known of the function of this linkage name.
pub fn function(name: &str) -> Option<&'static Function> {
    current().function(name)
}
