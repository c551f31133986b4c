//! Bodies: variables, then lines of the form `node: statement -> target # position`.

use super::elaborate::BodyScope;
use super::items::PendingBody;
use super::{Parser, Result};
use crate::body::{Body, Edge, NodeId, VarId, VarKind};
use crate::build::BodyBuilder;
use crate::span::FileId;
use crate::text::lexer::Kind;
use crate::text::printer::RETURN_NAME;
use crate::types::{Type, TypeId};
use rustc_hash::FxHashMap;

/// Nodes that one body may have.
const MAX_NODE: u32 = 1 << 20;

/// Line and column in the text.
type Position = (u32, u32);

/// The graph as it is read, before nodes exist.
#[derive(Default)]
struct Graph {
    edges: Vec<(Edge, Position)>,
    labels: Vec<(u32, NodeId)>,
    entry: Option<NodeId>,
    exit: Option<NodeId>,
    unwind: Option<NodeId>,
    node_count: u32,
}

impl Graph {
    fn node(&mut self, n: u32) -> NodeId {
        self.node_count = self.node_count.max(n.saturating_add(1));
        NodeId(n)
    }
}

impl Parser<'_> {
    /// The body, and for every edge where it stands in the text.
    pub(super) fn body(&mut self, pending: PendingBody) -> Result<(Body, Vec<Position>)> {
        let function = &self.program.functions[pending.function];
        let signature = function.signature;
        let file = (!function.span.is_none()).then_some(function.span.file);
        let mut scope = BodyScope {
            builder: BodyBuilder::new(),
            vars: FxHashMap::default(),
            function: pending.function,
            unit: function.unit,
        };
        for (name, ty) in pending.params {
            self.variable(&mut scope, name.at, &name.text, ty, VarKind::Param)?;
        }
        let mut graph = Graph::default();
        self.preamble(&mut scope, &mut graph, signature)?;
        while !self.eat_punct("}") {
            self.node_line(&mut scope, &mut graph, file)?;
        }
        self.assemble(scope, graph)
    }

    fn variable(
        &mut self,
        scope: &mut BodyScope,
        at: usize,
        name: &str,
        ty: TypeId,
        kind: VarKind,
    ) -> Result<VarId> {
        if scope.vars.contains_key(name) {
            return self.error_at(at, format!("the variable `{name}` is declared twice"));
        }
        let symbols = &mut self.program.symbols;
        let id = scope.builder.var(symbols, name, ty, kind);
        scope.vars.insert(name.to_string(), id);
        Ok(id)
    }

    /// `var`, `temp`, `ret`, `entry`, `nodes`.
    fn preamble(
        &mut self,
        scope: &mut BodyScope,
        graph: &mut Graph,
        signature: TypeId,
    ) -> Result<()> {
        let mut ret_given = false;
        loop {
            match *self.kind() {
                Kind::Word(word @ ("var" | "temp")) => {
                    let kind = match word {
                        "var" => VarKind::Local,
                        _ => VarKind::Temp,
                    };
                    self.advance();
                    loop {
                        let at = self.at;
                        let name = self.plain_name("a variable")?;
                        self.punct(":")?;
                        let ty = self.ty()?;
                        self.variable(scope, at, &name, ty, kind)?;
                        if !self.eat_punct(",") {
                            break;
                        }
                    }
                }
                Kind::Word("ret") => {
                    self.advance();
                    ret_given = true;
                    // A variable `none` would be written in quotes.
                    if self.is_word("none") && !scope.vars.contains_key("none") {
                        self.advance();
                    } else {
                        let var = self.local(scope)?;
                        scope.builder.set_return(var);
                    }
                }
                Kind::Word("entry") => {
                    self.advance();
                    let n = self.node_number()?;
                    graph.entry = Some(graph.node(n));
                }
                Kind::Word("nodes") => {
                    self.advance();
                    let at = self.at;
                    let n: u32 = self.integer("a number of nodes")?;
                    if n > MAX_NODE {
                        return self.error_at(at, "too many nodes");
                    }
                    graph.node_count = graph.node_count.max(n);
                }
                _ => break,
            }
        }
        let ret = match self.program.types.lookup(signature) {
            Some(Type::Function { ret, .. }) => *ret,
            _ => TypeId::VOID,
        };
        if !ret_given && ret != TypeId::VOID {
            let var = self.variable(scope, self.at, RETURN_NAME, ret, VarKind::Temp)?;
            scope.builder.set_return(var);
        }
        Ok(())
    }

    /// The name of a variable of this body.
    pub(super) fn local(&mut self, scope: &BodyScope) -> Result<VarId> {
        let at = self.at;
        let name = self.plain_name("a variable")?;
        match scope.vars.get(&name) {
            Some(&v) => Ok(v),
            None => self.error_at(at, format!("no variable `{name}` in this function")),
        }
    }

    fn node_number(&mut self) -> Result<u32> {
        let at = self.at;
        let n: u32 = self.integer("the number of a node")?;
        match n < MAX_NODE {
            true => Ok(n),
            false => self.error_at(at, format!("node numbers end at {}", MAX_NODE - 1)),
        }
    }

    fn node_line(
        &mut self,
        scope: &mut BodyScope,
        graph: &mut Graph,
        file: Option<FileId>,
    ) -> Result<()> {
        let at = self.at;
        let n = self.node_number()?;
        let from = graph.node(n);
        self.punct(":")?;
        if !self.is_assignment() {
            match *self.kind() {
                Kind::Word("exit") => {
                    self.advance();
                    if graph.exit.replace(from).is_some() {
                        return self.error_at(at, "a second exit");
                    }
                    return Ok(());
                }
                Kind::Word("unwind") => {
                    self.advance();
                    if graph.unwind.replace(from).is_some() {
                        return self.error_at(at, "a second `unwind` node");
                    }
                    return Ok(());
                }
                Kind::Word("label") => {
                    self.advance();
                    let k = self.integer("the number of the label")?;
                    graph.labels.push((k, from));
                    return Ok(());
                }
                _ => {}
            }
        }
        let stmt = self.stmt(scope)?;
        let to = match self.eat_punct("->") {
            true => self.node_number()?,
            false => n + 1,
        };
        let to = graph.node(to);
        let span = self.span(file)?;
        let edge = Edge {
            from,
            to,
            stmt,
            span,
        };
        graph.edges.push((edge, self.position(at)));
        Ok(())
    }

    fn assemble(
        &mut self,
        mut scope: BodyScope,
        mut graph: Graph,
    ) -> Result<(Body, Vec<Position>)> {
        let entry = graph.entry.unwrap_or(NodeId(0));
        graph.node(entry.0);
        let Some(exit) = graph.exit else {
            return self.error_at(self.at.saturating_sub(1), "expected an exit: `n: exit`");
        };
        match self.node_budget.checked_sub(graph.node_count) {
            Some(left) => self.node_budget = left,
            None => return self.error("too many nodes in this program"),
        }
        graph.labels.sort_by_key(|(k, _)| *k);
        for (i, &(k, node)) in graph.labels.iter().enumerate() {
            if k as usize != i {
                return self.error_at(
                    self.at.saturating_sub(1),
                    format!(
                        "labels are numbered from 0 without gaps; {i} is missing or given twice"
                    ),
                );
            }
            scope.builder.label(node);
        }
        for _ in 0..graph.node_count {
            scope.builder.node();
        }
        if let Some(node) = graph.unwind {
            scope.builder.set_unwind(node);
        }
        // The body sorts its edges by source, keeping the order of those that share one.
        graph.edges.sort_by_key(|(e, _)| e.from);
        let mut positions = Vec::with_capacity(graph.edges.len());
        for (edge, position) in graph.edges {
            scope.builder.edge(edge.from, edge.to, edge.stmt, edge.span);
            positions.push(position);
        }
        Ok((scope.builder.finish(entry, exit), positions))
    }
}
