//! Statements and checks.

use super::expr::ExprPrinter;
use crate::program::Symbol;
use crate::stmt::{Call, CallOutcome, Callee, CatchClause, CheckId, Condition, HavocReason, Stmt};
use crate::text::names::symbol;
use crate::text::typing::SIZE;
use crate::text::words::{backquote, is_builtin, is_plain_rule, quote_name, trap_name};
use crate::types::{Type, TypeId};

impl ExprPrinter<'_> {
    pub(super) fn stmt(&self, stmt: &Stmt) -> String {
        match stmt {
            Stmt::Skip => "skip".to_string(),
            Stmt::Declare(v) => format!("declare {}", self.var(*v)),
            Stmt::End(v) => format!("end {}", self.var(*v)),
            Stmt::Allocate { var, count } => {
                let count = self.expr(*count, Some(SIZE));
                format!("allocate {}[{count}]", self.var(*var))
            }
            Stmt::Assign { place, value } => {
                let p = self.body.places.get(*place);
                let value = self.expr(*value, p.map(|p| p.ty));
                match p.and_then(|p| p.as_var()) {
                    Some(v) if Some(v) == self.body.ret => format!("return {value}"),
                    _ => format!("{} = {value}", self.place(*place)),
                }
            }
            Stmt::Havoc { place, reason } => {
                format!(
                    "havoc {} because {}",
                    self.place(*place),
                    self.reason(reason)
                )
            }
            Stmt::Assume(e) => format!("assume {}", self.expr(*e, Some(TypeId::BOOL))),
            Stmt::Copy {
                target,
                source,
                size,
                overlap,
            } => {
                let word = if *overlap { "move" } else { "copy" };
                let target = self.expr(*target, None);
                let source = self.expr(*source, None);
                format!(
                    "{word} {target} <- {source}, {}",
                    self.expr(*size, Some(SIZE))
                )
            }
            Stmt::Fill { target, byte, size } => {
                let target = self.expr(*target, None);
                let byte = self.expr(*byte, Some(TypeId::U8));
                format!("fill {target} <- {byte}, {}", self.expr(*size, Some(SIZE)))
            }
            Stmt::Call(call) => self.call(call),
            Stmt::Check(id) => self.check(*id),
            Stmt::VaStart(e) => format!("va_start {}", self.expr(*e, None)),
            Stmt::LandingPad {
                exception,
                selector,
                clauses,
                cleanup,
            } => {
                let mut text = format!(
                    "landingpad {}, {}",
                    self.var(*exception),
                    self.var(*selector)
                );
                for clause in clauses {
                    text.push_str(&self.clause(clause));
                }
                if *cleanup {
                    text.push_str(" cleanup");
                }
                text
            }
            Stmt::Resume(e) => format!("resume {}", self.expr(*e, Some(TypeId::VOID_PTR))),
            Stmt::Trap(reason) => format!("trap {}", trap_name(*reason)),
        }
    }

    fn symbol(&self, s: Symbol) -> String {
        quote_name(symbol(self.printer.program, s))
    }

    fn reason(&self, reason: &HavocReason) -> String {
        match reason {
            HavocReason::InlineAssembly => "inline-assembly".to_string(),
            HavocReason::Vector => "vector".to_string(),
            HavocReason::Intrinsic(s) => format!("intrinsic {}", self.symbol(*s)),
            HavocReason::Instruction(s) => format!("instruction {}", self.symbol(*s)),
            HavocReason::Constant => "constant".to_string(),
            HavocReason::WideInteger => "wide-integer".to_string(),
        }
    }

    fn clause(&self, clause: &CatchClause) -> String {
        match clause {
            CatchClause::Catch(None) => " catch ...".to_string(),
            CatchClause::Catch(Some(g)) => format!(" catch {}", self.global_name(*g)),
            CatchClause::Filter(types) => {
                let types: Vec<_> = types.iter().map(|g| self.global_name(*g)).collect();
                format!(" filter({})", types.join(", "))
            }
        }
    }

    fn call(&self, call: &Call) -> String {
        let program = self.printer.program;
        let (callee, natural) = match call.callee {
            Callee::Direct(f) => (
                self.printer.names.function(program, f),
                program.functions.get(f).map(|f| f.signature),
            ),
            Callee::Indirect(e) => (
                format!("(*{})", self.operand(e)),
                program.types.pointee(self.type_of(e)),
            ),
        };
        let params = match program.types.lookup(call.signature) {
            Some(Type::Function { params, .. }) => params.as_slice(),
            _ => &[],
        };
        let args: Vec<String> = call
            .args
            .iter()
            .enumerate()
            .map(|(i, a)| self.expr(*a, params.get(i).copied()))
            .collect();
        let mut text = match call.result {
            Some(place) => {
                let builtin = matches!(call.callee, Callee::Direct(_)) && is_builtin(&callee);
                let word = if builtin { "call " } else { "" };
                let whole = self.body.places.get(place).and_then(|p| p.as_var());
                match whole {
                    Some(v) if Some(v) == self.body.ret => format!("return {word}"),
                    _ => format!("{} = {word}", self.place(place)),
                }
            }
            None => "call ".to_string(),
        };
        text.push_str(&format!("{callee}({})", args.join(", ")));
        if natural != Some(call.signature) {
            text.push_str(&format!(" : {}", self.type_text(call.signature)));
        }
        text.push_str(match call.outcome {
            CallOutcome::Return => "",
            CallOutcome::Unwind => " unwind",
            CallOutcome::Again => " again",
        });
        if call.noreturn {
            text.push_str(" noreturn");
        }
        text
    }

    fn check(&self, id: CheckId) -> String {
        let Some(check) = self.body.checks.get(id) else {
            return format!("check `bad check {}` unreachable", id.0);
        };
        let rule = symbol(self.printer.program, check.rule);
        let rule = match is_plain_rule(rule) {
            true => rule.to_string(),
            false => backquote(rule),
        };
        let which = match check.which {
            0 => String::new(),
            which => format!("[{which}]"),
        };
        format!("check {rule}{which} {}", self.condition(&check.condition))
    }

    pub fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Holds(e) => self.expr(*e, Some(TypeId::BOOL)),
            Condition::Initialized(p) => format!("initialized({})", self.place(*p)),
            Condition::InBounds { pointer, size } => {
                let pointer = self.expr(*pointer, None);
                format!("in_bounds({pointer}, {})", self.expr(*size, Some(SIZE)))
            }
            Condition::Alive(e) => format!("alive({})", self.expr(*e, None)),
            Condition::Freeable { pointer, family } => {
                format!("freeable({}, {})", self.expr(*pointer, None), family.word())
            }
            Condition::Apart(a, b) => {
                format!("apart({}, {})", self.expr(*a, None), self.expr(*b, None))
            }
            Condition::Unreachable => "unreachable".to_string(),
        }
    }
}
