//! Which units make up the program that the user asked for, and how each is compiled.
//!
//! The rules, in the order in which they apply:
//!
//! 1. `-p DIR`: the database there. Without FILEs all of it; with FILEs the entries of these.
//! 2. `FILE… -- flags` without `-p`: no database is looked for; every file gets these flags.
//! 3. `FILE…`: the database nearest above each file, if it has the file; else no flags.
//! 4. A DIR among the FILEs: its part of the nearest database; else every source file below it.
//! 5. Nothing: the database nearest above the current directory.
//!
//! Flags behind `--` come last in every command, also in one from a database. A file that is
//! missing or is no source is an error of its own; the other files are still planned.

mod request;

use crate::database::{Database, DatabaseError, Entry, find_upwards};
use crate::flags::{Language, Translation, only_precompiled, source_language, translate};
pub use crate::input::Input;
use crate::model;
use crate::paths::{identity, shown};
use crate::protocol::Job;
use request::only_flags;
pub use request::{Plan, Request, Unit};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Makes the plan. `Err` if nothing at all can be done.
pub fn plan(request: &Request) -> Result<Plan, Input> {
    only_flags(&request.flags)?;
    let mut planner = Planner {
        request,
        databases: BTreeMap::new(),
        plan: Plan::default(),
        taken: HashSet::new(),
        dropped: BTreeSet::new(),
        second: Vec::new(),
    };
    planner.run()?;
    for model in &request.models {
        planner.model(model);
    }
    Ok(planner.finish())
}

struct Planner<'a> {
    request: &'a Request,
    /// The databases read so far; `None` for one that is broken (reported once).
    databases: BTreeMap<PathBuf, Option<Database>>,
    plan: Plan,
    /// The files that have a unit.
    taken: HashSet<PathBuf>,
    dropped: BTreeSet<String>,
    /// Files that the database compiles in several ways.
    second: Vec<String>,
}

impl Planner<'_> {
    fn run(&mut self) -> Result<(), Input> {
        let request = self.request;
        let fixed = match &request.database {
            Some(place) => {
                // The messages name what the user wrote, not where that is.
                Some(self.load_fixed(&request.cwd.join(place))?)
            }
            None if request.inputs.is_empty() => {
                let path = find_upwards(&request.cwd).ok_or(Input::NothingNamed)?;
                Some(self.load_fixed(&path)?)
            }
            None => None,
        };
        if request.inputs.is_empty() {
            let path = fixed.unwrap_or_default();
            for entry in self.entries(&path, |_| true) {
                self.add_entry(&entry, &path);
            }
            return Ok(());
        }
        for input in &request.inputs {
            let input = input.as_path();
            let path = request.cwd.join(input);
            let name = input.display().to_string();
            if path.is_dir() {
                self.directory(&path, &name, fixed.as_deref());
            } else if path.exists() {
                self.file(&path, input, fixed.as_deref());
            } else {
                self.plan.errors.push(Input::NoSuchFile(name));
            }
        }
        Ok(())
    }

    /// The database that all is read with; its file, also where a directory was named.
    fn load_fixed(&mut self, place: &Path) -> Result<PathBuf, Input> {
        let database = self.load(place)?;
        let path = database.path.clone();
        self.databases.insert(path.clone(), Some(database));
        Ok(path)
    }

    /// Reads a database, and says which of its entries are bad.
    fn load(&mut self, path: &Path) -> Result<Database, Input> {
        let mut database = Database::load(path).map_err(|e| self.relative(e))?;
        for bad in std::mem::take(&mut database.bad) {
            let bad = self.relative(bad);
            self.plan.errors.push(bad);
        }
        Ok(database)
    }

    fn file(&mut self, path: &Path, input: &Path, fixed: Option<&Path>) {
        let name = &input.display().to_string();
        let wanted = identity(&self.request.cwd, path);
        let database = self.database_for(path.parent().unwrap_or(path), fixed);
        if let Some(database) = &database {
            let entries = self.entries(database, |e| e.identity == wanted);
            if !entries.is_empty() {
                for entry in &entries {
                    self.add_entry(entry, database);
                }
                return;
            }
        }
        let forced = self.request.flags.iter().any(|f| f.starts_with("-x"));
        if source_language(name).is_none() && !forced {
            let ending = name.rsplit('.').next().unwrap_or("");
            let module = matches!(ending, "cppm" | "ixx" | "mpp" | "ccm" | "cxxm" | "c++m");
            let kind = if module {
                Input::Module
            } else {
                Input::NotASource
            };
            self.plan.errors.push(kind(name.to_string()));
            return;
        }
        if let (Some(database), true) = (database, self.request.flags.is_empty()) {
            let database = shown(&database, &self.request.cwd);
            self.plan.notes.push(format!(
                "{name}: not in {database}: read without flags (give them: -- -I…)"
            ));
        }
        self.add_plain(path, input);
    }

    fn directory(&mut self, path: &Path, name: &str, fixed: Option<&Path>) {
        let below = identity(&self.request.cwd, path);
        if let Some(database) = self.database_for(path, fixed) {
            let entries = self.entries(&database, |e| e.identity.starts_with(&below));
            if !entries.is_empty() {
                for entry in &entries {
                    self.add_entry(entry, &database);
                }
                return;
            }
        }
        let mut files = Vec::new();
        sources_below(path, &mut files);
        if files.is_empty() {
            self.plan.errors.push(Input::NoSources(name.to_string()));
        }
        for file in files {
            let short = file.strip_prefix(&self.request.cwd).unwrap_or(&file);
            self.add_plain(&file, short);
        }
    }

    /// The database to ask about what lies in `directory`.
    fn database_for(&mut self, directory: &Path, fixed: Option<&Path>) -> Option<PathBuf> {
        if let Some(fixed) = fixed {
            return Some(fixed.to_path_buf());
        }
        if !self.request.flags.is_empty() {
            return None;
        }
        let directory = std::fs::canonicalize(directory).ok()?;
        let path = find_upwards(&directory)?;
        if !self.databases.contains_key(&path) {
            let database = self.load(&path);
            let database = database.map_err(|e| self.plan.errors.push(e)).ok();
            self.databases.insert(path.clone(), database);
        }
        self.databases[&path].is_some().then_some(path)
    }

    fn entries(&self, database: &Path, wanted: impl Fn(&Entry) -> bool) -> Vec<Entry> {
        match self.databases.get(database) {
            Some(Some(d)) => d.entries.iter().filter(|e| wanted(e)).cloned().collect(),
            _ => Vec::new(),
        }
    }

    fn add_entry(&mut self, entry: &Entry, database: &Path) {
        let name = shown(&entry.identity, &self.request.cwd);
        if !entry.identity.exists() {
            // The build is ahead of the database, or generates this file later.
            self.plan.errors.push(Input::Gone {
                file: name,
                database: shown(database, &self.request.cwd),
            });
            return;
        }
        if !entry.directory.is_dir() {
            self.plan.errors.push(Input::NoDirectory {
                file: name,
                directory: shown(&entry.directory, &self.request.cwd),
                database: shown(database, &self.request.cwd),
            });
            return;
        }
        // One program has each file once. A second entry is usually the same code for a shared
        // library (`-fPIC -DPIC`), or for another program.
        if !self.taken.insert(entry.identity.clone()) {
            if !self.second.contains(&name) {
                self.second.push(name);
            }
            return;
        }
        let mut arguments = entry.arguments.clone();
        arguments.extend(self.request.flags.iter().cloned());
        let database = shown(database, &self.request.cwd);
        self.add(
            &entry.directory,
            &entry.file,
            name,
            &arguments,
            Some(database),
        );
    }

    /// A file without an entry. It is called as it was `spelled`, or from where the user stands.
    fn add_plain(&mut self, path: &Path, spelled: &Path) {
        let short = path.strip_prefix(&self.request.cwd).unwrap_or(path);
        let Some(name) = spelled.to_str().or(short.to_str()) else {
            let name = spelled.display().to_string();
            self.plan.errors.push(Input::NotText(name));
            return;
        };
        let identity = identity(&self.request.cwd, path);
        if !self.taken.insert(identity) {
            return;
        }
        let mut arguments = vec!["cc".to_string()];
        arguments.extend(self.request.flags.iter().cloned());
        let cwd = self.request.cwd.clone();
        self.add(&cwd, name, name.to_string(), &arguments, None);
    }

    /// A model file: a unit after all others, so that what the program defines itself is kept.
    fn model(&mut self, spelled: &Path) {
        let cwd = &self.request.cwd;
        let path = identity(cwd, &cwd.join(spelled));
        let name = spelled.display().to_string();
        let language = source_language(&name).unwrap_or(Language::C);
        let place = match model::prepare(&path, &name, language) {
            Ok(place) => place,
            Err(error) => {
                self.plan.errors.push(error);
                return;
            }
        };
        let (Some(file), Some(beside)) = (place.to_str(), path.parent().and_then(Path::to_str))
        else {
            self.plan.errors.push(Input::NotText(name));
            return;
        };
        let mut arguments = vec!["cc".to_string()];
        arguments.extend(self.request.flags.iter().cloned());
        arguments.extend(["-iquote".to_string(), beside.to_string()]);
        let cwd = cwd.clone();
        self.add(&cwd, file, name, &arguments, None);
    }

    fn add(
        &mut self,
        directory: &Path,
        file: &str,
        shown: String,
        arguments: &[String],
        database: Option<String>,
    ) {
        let Translation {
            command, dropped, ..
        } = translate(arguments, file, directory, self.request.clang.as_deref());
        self.dropped.extend(dropped);
        if let Some((header, precompiled)) = only_precompiled(&command, directory) {
            self.plan.errors.push(Input::OnlyPrecompiled {
                file: shown,
                header,
                precompiled,
            });
            return;
        }
        let bytes = std::fs::metadata(directory.join(file)).map_or(0, |m| m.len());
        self.plan.units.push(Unit {
            job: Job {
                file: file.to_string(),
                directory: directory.into(),
                command,
            },
            shown,
            database,
            bytes,
        });
    }

    /// Paths of a database's error below the current directory are shown relative to it.
    fn relative(&self, mut error: DatabaseError) -> Input {
        let path = match &mut error {
            DatabaseError::Missing(path) | DatabaseError::Empty(path) => path,
            DatabaseError::Unreadable { path, .. }
            | DatabaseError::Malformed { path, .. }
            | DatabaseError::BadEntry { path, .. } => path,
        };
        *path = shown(path, &self.request.cwd).into();
        error.into()
    }

    fn finish(mut self) -> Plan {
        if !self.dropped.is_empty() {
            let list: Vec<_> = self.dropped.into_iter().collect();
            self.plan.notes.push(format!(
                "left out what clang does not know or rigel does not model: {}",
                some_of(&list)
            ));
        }
        if !self.second.is_empty() {
            self.plan.notes.push(format!(
                "compiled more than once, read with the first flags: {}",
                some_of(&self.second)
            ));
        }
        self.plan
    }
}

/// A list for one line: all of a short one, the beginning of a long one.
fn some_of(list: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = list[..list.len().min(SHOWN)].join(", ");
    if list.len() > SHOWN {
        text.push_str(&format!(" and {} more", list.len() - SHOWN));
    }
    text
}

/// All C and C++ sources below a directory, sorted; hidden directories and links are not entered.
fn sources_below(directory: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(|e| e.file_name());
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() && !name.starts_with('.') {
            sources_below(&entry.path(), out);
        } else if kind.is_file() && source_language(&name).is_some() {
            out.push(entry.path());
        }
    }
}
