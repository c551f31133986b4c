//! Functions: the header, the variables, the nodes.

use super::Printer;
use super::expr::ExprPrinter;
use super::items::linkage;
use crate::body::{Body, VarId, VarKind};
use crate::program::{FuncId, Function};
use crate::text::names::symbol;
use crate::text::words::quote_name;
use crate::types::{Type, TypeId};

/// The name of the variable that holds the result, when it need not be written.
pub const RETURN_NAME: &str = "$ret";

impl Printer<'_> {
    /// A declaration is one line; a definition has an empty line before it.
    pub fn function(&self, out: &mut String, id: FuncId) {
        let Some(f) = self.program.functions.get(id) else {
            out.push_str(&format!("// no function {}\n", id.0));
            return;
        };
        match &f.body {
            Some(body) => self.definition(out, id, f, body),
            None => {
                let text = format!("extern {}{}", linkage(f.linkage), self.header(id, f, None));
                self.line(out, &text, self.span(f.span, None));
            }
        }
    }

    fn header(&self, id: FuncId, f: &Function, body: Option<&Body>) -> String {
        let program = self.program;
        let mut text = format!("fn {}", self.names.function(program, id));
        if f.display != f.name {
            text.push_str(&format!(" {} ", self.string(f.display)));
        }
        let (ret, types, variadic) = match program.types.lookup(f.signature) {
            Some(Type::Function {
                ret,
                params,
                variadic,
            }) => (*ret, params.as_slice(), *variadic),
            _ => (TypeId::VOID, [].as_slice(), false),
        };
        let mut params: Vec<String> = match body {
            None => types.iter().map(|&t| self.type_text(t)).collect(),
            Some(body) => {
                let vars = body.params.iter().filter_map(|&p| body.vars.get(p));
                vars.map(|v| {
                    let name = quote_name(symbol(program, v.name));
                    format!("{name}: {}", self.type_text(v.ty))
                })
                .collect()
            }
        };
        if variadic {
            params.push("...".to_string());
        }
        text.push_str(&format!(
            "({}) -> {}",
            params.join(", "),
            self.type_text(ret)
        ));
        if let Some(body) = body {
            let own = body.params.iter().filter_map(|&p| body.vars.get(p));
            if !own.map(|v| v.ty).eq(types.iter().copied()) {
                text.push_str(&format!(" : {}", self.type_text(f.signature)));
            }
        }
        if f.noreturn {
            text.push_str(" noreturn");
        }
        text
    }

    fn definition(&self, out: &mut String, id: FuncId, f: &Function, body: &Body) {
        out.push('\n');
        let header = self.header(id, f, Some(body));
        let text = format!("{}{header} {{", linkage(f.linkage));
        self.line(out, &text, self.span(f.span, None));
        self.variables(out, f, body);
        self.nodes(out, id, f, body);
        out.push_str("}\n");
    }

    fn variables(&self, out: &mut String, f: &Function, body: &Body) {
        let ret_type = match self.program.types.lookup(f.signature) {
            Some(Type::Function { ret, .. }) => *ret,
            _ => TypeId::VOID,
        };
        let hidden = body
            .ret
            .filter(|&r| self.is_plain_return(body, r, ret_type));
        for (word, kind) in [("var", VarKind::Local), ("temp", VarKind::Temp)] {
            let vars: Vec<String> = body
                .vars
                .iter()
                .filter(|(id, v)| v.kind == kind && Some(*id) != hidden)
                .map(|(_, v)| {
                    let name = quote_name(symbol(self.program, v.name));
                    format!("{name}: {}", self.type_text(v.ty))
                })
                .collect();
            if !vars.is_empty() {
                out.push_str(&format!("    {word} {}\n", vars.join(", ")));
            }
        }
        match body.ret {
            Some(_) if hidden.is_some() => {}
            Some(r) => {
                let name = body
                    .vars
                    .get(r)
                    .map_or("", |v| symbol(self.program, v.name));
                out.push_str(&format!("    ret {}\n", quote_name(name)));
            }
            None if ret_type != TypeId::VOID => out.push_str("    ret none\n"),
            None => {}
        }
    }

    /// A return variable that the header already tells all about.
    fn is_plain_return(&self, body: &Body, ret: VarId, ty: TypeId) -> bool {
        body.vars.get(ret).is_some_and(|v| {
            v.kind == VarKind::Temp
                && v.ty == ty
                && ty != TypeId::VOID
                && symbol(self.program, v.name) == RETURN_NAME
        })
    }

    fn nodes(&self, out: &mut String, id: FuncId, f: &Function, body: &Body) {
        if body.entry.0 != 0 {
            out.push_str(&format!("    entry {}\n", body.entry.0));
        }
        let mentioned = body
            .edges()
            .values()
            .map(|e| e.from.max(e.to))
            .chain(body.labels.iter().copied())
            .chain(body.unwind)
            .chain([body.exit, body.entry])
            .map(|n| n.0.saturating_add(1))
            .max();
        if mentioned < Some(body.node_count) {
            out.push_str(&format!("    nodes {}\n", body.node_count));
        }
        let file = (!f.span.is_none()).then_some(f.span.file);
        let exprs = ExprPrinter::new(self, body, id);
        let mut labels: Vec<(u32, usize)> = body.labels.iter().map(|n| n.0).zip(0..).collect();
        labels.sort_unstable();
        let mut labels = labels.into_iter().peekable();
        for node in body.nodes() {
            while let Some((_, k)) = labels.next_if(|(n, _)| *n == node.0) {
                out.push_str(&format!("    {}: label {k}\n", node.0));
            }
            for (_, edge) in body.out_edges(node) {
                let mut text = format!("    {}: {}", node.0, exprs.stmt(&edge.stmt));
                if edge.to.0 != node.0.wrapping_add(1) {
                    let width = text.chars().count();
                    text.extend(std::iter::repeat_n(
                        ' ',
                        34usize.saturating_sub(width).max(1),
                    ));
                    text.push_str(&format!("-> {}", edge.to.0));
                }
                self.line(out, &text, self.span(edge.span, file));
            }
            if node == body.exit {
                out.push_str(&format!("    {}: exit\n", node.0));
            }
            if Some(node) == body.unwind {
                out.push_str(&format!("    {}: unwind\n", node.0));
            }
        }
    }
}
