//! The exceptions of the C++ standard library: their types, vtables, constructors, and the
//! functions by which the library's headers throw them.
//!
//! Their code is in libstdc++, which is not part of the program. Here an exception object is a
//! vtable pointer and, for those that carry one, a pointer to their text, as there.

use super::{Args, Host, Native, Table, VarArgs, format};
use crate::machine::Machine;
use crate::outcome::{Ctl, StuckReason};
use crate::unwind::Exception;
use crate::value::{Scalar, Value};

/// A class: its mangled name, that of its base, and what `what()` says of one without a text.
struct Class {
    name: &'static str,
    type_info: &'static str,
    vtable: &'static str,
    base: Option<&'static str>,
    text: &'static str,
}

macro_rules! classes {
    ($($name:literal $(: $base:literal)?, $text:literal;)*) => {
        &[$(Class {
            name: $name,
            type_info: concat!("_ZTI", $name),
            vtable: concat!("_ZTV", $name),
            base: classes!(@base $($base)?),
            text: $text,
        },)*]
    };
    (@base) => { None };
    (@base $base:literal) => { Some(concat!("_ZTI", $base)) };
}

const CLASSES: &[Class] = classes![
    "St9exception", "std::exception";
    "St13bad_exception": "St9exception", "std::bad_exception";
    "St9bad_alloc": "St9exception", "std::bad_alloc";
    "St20bad_array_new_length": "St9bad_alloc", "std::bad_array_new_length";
    "St8bad_cast": "St9exception", "std::bad_cast";
    "St10bad_typeid": "St9exception", "std::bad_typeid";
    "St17bad_function_call": "St9exception", "bad_function_call";
    "St11logic_error": "St9exception", "";
    "St12domain_error": "St11logic_error", "";
    "St16invalid_argument": "St11logic_error", "";
    "St12length_error": "St11logic_error", "";
    "St12out_of_range": "St11logic_error", "";
    "St13runtime_error": "St9exception", "";
    "St11range_error": "St13runtime_error", "";
    "St14overflow_error": "St13runtime_error", "";
    "St15underflow_error": "St13runtime_error", "";
];

/// The type-info symbol of the base of a library class, by its own.
pub(crate) fn base_of(type_info: &str) -> Option<&'static str> {
    let class = CLASSES.iter().find(|c| c.type_info == type_info)?;
    class.base
}

/// What the program does not declare, and what the library remembers of it.
#[derive(Clone, Default)]
pub(crate) struct Types {
    /// Type-info objects made here, with their symbols.
    infos: Vec<(Scalar, &'static str)>,
    /// Vtables (at their address points), by the name of the class.
    vtables: Vec<(Scalar, &'static str)>,
}

impl Types {
    pub fn symbol(&self, type_info: Scalar) -> Option<&'static str> {
        let mut all = self.infos.iter();
        all.find(|(p, _)| p.bits == type_info.bits).map(|(_, s)| *s)
    }
}

/// What an exception says that carries no text of its own.
fn say(h: &mut dyn Host<'_>, class: &str) -> Result<Value, Ctl> {
    let class = Machine::class(class)?;
    Ok(Value::Scalar(h.m().new_string(class.text.as_bytes())?))
}

/// The text that `std::logic_error` and `std::runtime_error` carry.
fn what_carried(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    Ok(Value::Scalar(h.m().read_pointer(a.at(0)?.offset(8))?))
}

fn nothing(_: &mut dyn Host<'_>, _: &[Value]) -> Result<Value, Ctl> {
    Ok(Value::Void)
}

fn delete(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    h.m().free(a.at(0)?)?;
    Ok(Value::Void)
}

impl<'p> Machine<'p> {
    /// Gives the declared type-info objects of the library their names, and its vtables their
    /// functions.
    pub(crate) fn load_library_types(&mut self) -> Result<(), Ctl> {
        for (id, g) in self.program.globals.iter() {
            let name = self.program.name(g.name);
            let Some(obj) = self.addresses.global(id) else {
                continue;
            };
            if g.init.is_some() {
                continue;
            }
            if let Some(ty) = name.strip_prefix("_ZTI") {
                let at = self.mem.address(obj);
                let text = self.new_string(ty.as_bytes())?;
                self.write_scalar(at.offset(8), 8, text)?;
            } else if let Some(class) = CLASSES.iter().find(|c| c.vtable == name) {
                let at = self.mem.address(obj);
                self.fill_vtable(class, at)?;
            }
        }
        Ok(())
    }

    fn class(name: &str) -> Result<&'static Class, Ctl> {
        let class = CLASSES.iter().find(|c| c.name == name);
        class.ok_or_else(|| Ctl::malformed("no such exception in the library"))
    }

    /// The type-info object of a library class: the program's, or one made now.
    fn library_type(&mut self, class: &'static Class) -> Result<Scalar, Ctl> {
        if let Some(g) = self.global_named(class.type_info)
            && let Some(obj) = self.addresses.global(g)
        {
            return Ok(self.mem.address(obj));
        }
        let known = &self.lib.types.infos;
        if let Some((p, _)) = known.iter().find(|(_, s)| *s == class.type_info) {
            return Ok(*p);
        }
        let p = self.new_static(16)?;
        self.lib.types.infos.push((p, class.type_info));
        let text = self.new_string(class.name.as_bytes())?;
        self.write_scalar(p.offset(8), 8, text)?;
        Ok(p)
    }

    fn library_vtable(&mut self, class: &'static Class) -> Result<Scalar, Ctl> {
        let known = &self.lib.types.vtables;
        if let Some((p, _)) = known.iter().find(|(_, s)| *s == class.name) {
            return Ok(*p);
        }
        let p = self.new_static(40)?;
        self.fill_vtable(class, p)
    }

    /// Offset to top, type, two destructors, `what`.
    fn fill_vtable(&mut self, class: &'static Class, p: Scalar) -> Result<Scalar, Ctl> {
        let ty = self.library_type(class)?;
        self.write_scalar(p.offset(8), 8, ty)?;
        // Those that carry a text all share the function that reads it.
        let own = format!("_ZNK{}4whatEv", class.name);
        let own = TABLE.iter().find(|(name, _)| *name == own);
        let what = own.map_or(what_carried as Native, |(_, f)| *f);
        for (i, native) in [nothing, delete, what].into_iter().enumerate() {
            let code = self.addresses.native(&mut self.mem, native);
            let code = code.ok_or(Ctl::Stuck(StuckReason::Memory))?;
            self.write_scalar(p.offset(16 + 8 * i as u64), 8, code)?;
        }
        let point = p.offset(16);
        self.lib.types.vtables.push((point, class.name));
        Ok(point)
    }

    fn construct(&mut self, at: Scalar, class: &str, text: &[u8]) -> Result<(), Ctl> {
        let class = Self::class(class)?;
        let vtable = self.library_vtable(class)?;
        self.write_scalar(at, 8, vtable)?;
        if class.text.is_empty() {
            let text = self.new_string(text)?;
            self.write_scalar(at.offset(8), 8, text)?;
        }
        Ok(())
    }

    /// Throws an exception of the library.
    pub(super) fn throw_standard(&mut self, class: &str, text: &[u8]) -> Ctl {
        let object = self.malloc(16, 16, false);
        let made = self.construct(object, class, text);
        let ty = made
            .and_then(|()| Self::class(class))
            .and_then(|class| self.library_type(class));
        match ty {
            Ok(type_info) => {
                let exception = Exception::new(object, type_info, Scalar::ZERO);
                self.exceptions.thrown.insert(object.bits, exception);
                Ctl::Throw(object.bits)
            }
            Err(ctl) => ctl,
        }
    }
}

fn throw_text(h: &mut dyn Host<'_>, a: &[Value], class: &str) -> Result<Value, Ctl> {
    let text = h.m().read_str(a.at(0)?)?;
    Err(h.m().throw_standard(class, &text))
}

fn from_chars(h: &mut dyn Host<'_>, a: &[Value], class: &str) -> Result<Value, Ctl> {
    let text = h.m().read_str(a.at(1)?)?;
    h.m().construct(a.at(0)?, class, &text)?;
    Ok(Value::Void)
}

/// From a `std::string`: data and length come first.
fn from_string(h: &mut dyn Host<'_>, a: &[Value], class: &str) -> Result<Value, Ctl> {
    let m = h.m();
    let (data, length) = (
        m.read_pointer(a.at(1)?)?,
        m.read_word(a.at(1)?.offset(8), 8)?,
    );
    let text = m.read_bytes(data, length.bits)?;
    m.construct(a.at(0)?, class, &text)?;
    Ok(Value::Void)
}

/// A copy shares the text, which nothing changes.
fn copied(h: &mut dyn Host<'_>, a: &[Value], class: &str) -> Result<Value, Ctl> {
    let m = h.m();
    let text = m.read_pointer(a.at(1)?.offset(8))?;
    let text = m.read_str(text)?;
    m.construct(a.at(0)?, class, &text)?;
    Ok(Value::Void)
}

macro_rules! carriers {
    ($($class:literal)*) => {
        &[$(
            (concat!("_ZN", $class, "C1EPKc"), |h, a| from_chars(h, a, $class)),
            (concat!("_ZN", $class, "C2EPKc"), |h, a| from_chars(h, a, $class)),
            (
                concat!("_ZN", $class, "C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"),
                |h, a| from_string(h, a, $class),
            ),
            (
                concat!("_ZN", $class, "C2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"),
                |h, a| from_string(h, a, $class),
            ),
            (concat!("_ZN", $class, "C1ERKS_"), |h, a| copied(h, a, $class)),
            (concat!("_ZN", $class, "C2ERKS_"), |h, a| copied(h, a, $class)),
            (concat!("_ZN", $class, "C1EOS_"), |h, a| copied(h, a, $class)),
            (concat!("_ZN", $class, "C2EOS_"), |h, a| copied(h, a, $class)),
        )*]
    };
}

const CARRIERS: Table = carriers![
    "St11logic_error" "St12domain_error" "St16invalid_argument" "St12length_error"
    "St12out_of_range" "St13runtime_error" "St11range_error" "St14overflow_error"
    "St15underflow_error"
];

/// Constructors and destructors of the library's classes.
pub(super) fn find(name: &str) -> Option<Native> {
    if let Some((_, f)) = CARRIERS.iter().find(|(n, _)| *n == name) {
        return Some(*f);
    }
    let rest = name.strip_prefix("_ZN")?;
    let class = CLASSES.iter().find(|c| rest.starts_with(c.name))?;
    match rest.strip_prefix(class.name)? {
        "D1Ev" | "D2Ev" => Some(nothing),
        "D0Ev" => Some(delete),
        _ => None,
    }
}

pub(super) const TABLE: Table = &[
    ("_ZNKSt9exception4whatEv", |h, _| say(h, "St9exception")),
    ("_ZNKSt13bad_exception4whatEv", |h, _| {
        say(h, "St13bad_exception")
    }),
    ("_ZNKSt9bad_alloc4whatEv", |h, _| say(h, "St9bad_alloc")),
    ("_ZNKSt20bad_array_new_length4whatEv", |h, _| {
        say(h, "St20bad_array_new_length")
    }),
    ("_ZNKSt8bad_cast4whatEv", |h, _| say(h, "St8bad_cast")),
    ("_ZNKSt10bad_typeid4whatEv", |h, _| say(h, "St10bad_typeid")),
    ("_ZNKSt17bad_function_call4whatEv", |h, _| {
        say(h, "St17bad_function_call")
    }),
    ("_ZNKSt11logic_error4whatEv", what_carried),
    ("_ZNKSt13runtime_error4whatEv", what_carried),
    ("_ZSt17__throw_bad_allocv", |h, _| {
        Err(h.m().throw_standard("St9bad_alloc", b""))
    }),
    ("_ZSt28__throw_bad_array_new_lengthv", |h, _| {
        Err(h.m().throw_standard("St20bad_array_new_length", b""))
    }),
    ("__cxa_throw_bad_array_new_length", |h, _| {
        Err(h.m().throw_standard("St20bad_array_new_length", b""))
    }),
    ("_ZSt16__throw_bad_castv", |h, _| {
        Err(h.m().throw_standard("St8bad_cast", b""))
    }),
    ("__cxa_bad_cast", |h, _| {
        Err(h.m().throw_standard("St8bad_cast", b""))
    }),
    ("_ZSt18__throw_bad_typeidv", |h, _| {
        Err(h.m().throw_standard("St10bad_typeid", b""))
    }),
    ("__cxa_bad_typeid", |h, _| {
        Err(h.m().throw_standard("St10bad_typeid", b""))
    }),
    ("_ZSt25__throw_bad_function_callv", |h, _| {
        Err(h.m().throw_standard("St17bad_function_call", b""))
    }),
    ("_ZSt19__throw_logic_errorPKc", |h, a| {
        throw_text(h, a, "St11logic_error")
    }),
    ("_ZSt20__throw_domain_errorPKc", |h, a| {
        throw_text(h, a, "St12domain_error")
    }),
    ("_ZSt24__throw_invalid_argumentPKc", |h, a| {
        throw_text(h, a, "St16invalid_argument")
    }),
    ("_ZSt20__throw_length_errorPKc", |h, a| {
        throw_text(h, a, "St12length_error")
    }),
    ("_ZSt20__throw_out_of_rangePKc", |h, a| {
        throw_text(h, a, "St12out_of_range")
    }),
    ("_ZSt24__throw_out_of_range_fmtPKcz", |h, a| {
        let fmt = a.at(0)?;
        let mut args = VarArgs::Values(a.get(1..).unwrap_or_default());
        let text = format::format(h.m(), fmt, &mut args)?;
        Err(h.m().throw_standard("St12out_of_range", &text))
    }),
    ("_ZSt21__throw_runtime_errorPKc", |h, a| {
        throw_text(h, a, "St13runtime_error")
    }),
    ("_ZSt19__throw_range_errorPKc", |h, a| {
        throw_text(h, a, "St11range_error")
    }),
    ("_ZSt22__throw_overflow_errorPKc", |h, a| {
        throw_text(h, a, "St14overflow_error")
    }),
    ("_ZSt23__throw_underflow_errorPKc", |h, a| {
        throw_text(h, a, "St15underflow_error")
    }),
];
