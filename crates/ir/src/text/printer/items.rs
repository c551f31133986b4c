//! Files, structs and globals.

use super::Printer;
use crate::program::{Global, GlobalId, Init, Linkage, Target, Unit};
use crate::text::names::symbol;
use crate::text::typing;
use crate::text::words::{quote_bytes, quote_name};
use crate::types::{Field, StructId, Type};

/// A struct that fits this width is written on one line.
const STRUCT_WIDTH: usize = 100;

impl Printer<'_> {
    /// Only system files need an entry: of the others, positions tell the names.
    pub(super) fn files(&self, out: &mut String) {
        for file in self.program.files.values().filter(|f| f.system) {
            out.push_str(&format!("system file {}\n", self.string(file.path)));
        }
    }

    pub(super) fn structs(&self, out: &mut String) {
        if !self.program.types.structs.is_empty() && !out.is_empty() {
            out.push('\n');
        }
        for id in self.program.types.structs.ids() {
            self.structure(out, id);
        }
    }

    fn structure(&self, out: &mut String, id: StructId) {
        let def = &self.program.types.structs[id];
        let keyword = if def.union { "union" } else { "struct" };
        let name = self.names.structure(self.program, id);
        if !def.complete && def.size == 0 && def.align == 0 && def.fields.is_empty() {
            out.push_str(&format!("{keyword} {name};\n"));
            return;
        }
        let mut parts = vec![format!("size {} align {}", def.size, def.align)];
        if !def.complete {
            parts.push("incomplete".to_string());
        }
        parts.extend(def.fields.iter().map(|f| self.field(f)));
        let line = format!("{keyword} {name} {{ {} }}\n", parts.join("; "));
        if line.len() <= STRUCT_WIDTH {
            out.push_str(&line);
        } else {
            out.push_str(&format!("{keyword} {name} {{\n"));
            for part in parts {
                out.push_str(&format!("    {part};\n"));
            }
            out.push_str("}\n");
        }
    }

    fn field(&self, field: &Field) -> String {
        let name = quote_name(symbol(self.program, field.name));
        let ty = self.type_text(field.ty);
        let bits = match field.bits {
            Some((low, count)) => format!(" bits {low}:{count}"),
            None => String::new(),
        };
        format!("{name}: {ty} @{}{bits}", field.offset)
    }

    pub(super) fn constructors(&self, out: &mut String, unit: &Unit) {
        let lists = [
            ("constructor", &unit.constructors),
            ("destructor", &unit.destructors),
        ];
        for (word, list) in lists {
            for (priority, f) in list {
                let name = self.names.function(self.program, *f);
                out.push_str(&format!("{word} {priority} {name}\n"));
            }
        }
    }

    /// Which string literals some expression or initial value mentions: these need no definition.
    pub(super) fn mentioned_literals(&self) -> Vec<bool> {
        let mut mentioned = vec![false; self.program.globals.len()];
        let mut mention = |id: GlobalId| {
            if let Some(m) = mentioned.get_mut(id.0 as usize) {
                *m = true;
            }
        };
        for g in self.program.globals.values() {
            for r in g.init.iter().flat_map(|i| &i.relocations) {
                if let Target::Global(g) = r.target {
                    mention(g);
                }
            }
        }
        for (_, _, body) in self.program.bodies() {
            crate::walk::used_globals(body, &mut mention);
        }
        mentioned
    }

    pub(super) fn global(&self, out: &mut String, id: GlobalId, mentioned: &[bool]) {
        let g = &self.program.globals[id];
        let name = self.names.global(self.program, id);
        if self.names.is_literal(id) {
            if !mentioned.get(id.0 as usize).copied().unwrap_or(false) {
                out.push_str(&format!("literal {name}\n"));
            }
            return;
        }
        let mut text = String::new();
        if g.init.is_none() {
            text.push_str("extern ");
        }
        text.push_str(linkage(g.linkage));
        if g.constant {
            text.push_str("const ");
        }
        if g.thread_local {
            text.push_str("thread_local ");
        }
        text.push_str(&format!("global {name}: {}", self.type_text(g.ty)));
        if let Some(init) = &g.init {
            text.push_str(&format!(" = {}", self.init(g, init)));
        }
        self.line(out, &text, self.span(g.span, None));
    }

    /// A scalar by its value, all else as bytes and addresses.
    fn init(&self, g: &Global, init: &Init) -> String {
        // Zeros at the end say nothing.
        let used = init
            .bytes
            .iter()
            .rposition(|&b| b != 0)
            .map_or(0, |i| i + 1);
        let bytes = init.bytes.get(..used).unwrap_or_default();
        if init.relocations.is_empty() && init.unknown.is_empty() {
            if let Some(text) = self.scalar(g, bytes) {
                return text;
            }
        } else if let ([r], [], []) = (init.relocations.as_slice(), init.unknown.as_slice(), bytes)
            && r.offset == 0
            && self.program.types.pointee(g.ty).is_some()
        {
            return self.address(r.target, r.addend);
        }
        let mut text = match bytes {
            [] => "zero".to_string(),
            bytes => format!("bytes {}", quote_bytes(bytes)),
        };
        if !init.relocations.is_empty() {
            let list = init.relocations.iter();
            let list = list.map(|r| format!("{}: {}", r.offset, self.address(r.target, r.addend)));
            text.push_str(&format!(" with {{ {} }}", join(list)));
        }
        if !init.unknown.is_empty() {
            let list = init.unknown.iter().map(|(at, len)| format!("{at}: {len}"));
            text.push_str(&format!(" unknown {{ {} }}", join(list)));
        }
        text
    }

    fn scalar(&self, g: &Global, bytes: &[u8]) -> Option<String> {
        let types = &self.program.types;
        let size = match types.lookup(g.ty)? {
            Type::Int { width, .. } if [8, 16, 32, 64, 128].contains(width) => *width as usize / 8,
            Type::Float(_) => types.size_of(g.ty) as usize,
            _ => return None,
        };
        if bytes.len() > size {
            return None;
        }
        let mut le = [0; 16];
        le.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let bits = u128::from_le_bytes(le);
        match types.lookup(g.ty)? {
            Type::Int {
                width,
                signed: true,
            } => Some(crate::expr::int_value(bits, *width, true).to_string()),
            Type::Int { .. } => Some(bits.to_string()),
            _ => typing::decimal(types, bits, g.ty),
        }
    }

    fn address(&self, target: Target, addend: i64) -> String {
        let name = match target {
            Target::Function(f) => format!("&{}", self.names.function(self.program, f)),
            Target::Global(g) => format!("&{}", self.names.global(self.program, g)),
            Target::Label(f, k) => format!("&&{}#{k}", self.names.function(self.program, f)),
        };
        match addend {
            0 => name,
            n if n < 0 => format!("{name} - {}", n.unsigned_abs()),
            n => format!("{name} + {n}"),
        }
    }
}

pub(super) fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::External => "",
        Linkage::Internal => "static ",
        Linkage::Inline => "inline ",
        Linkage::Weak => "weak ",
    }
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join("; ")
}
