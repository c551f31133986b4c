//! Does a concrete state lie in an abstract one?
//!
//! Asked of everything that a state claims: bounds, pointers, definedness and facts. What has no
//! counterpart in the run (an object of the analysis that nobody can point at any more) is no
//! claim.

use automata::frame::{Frame, ObjectKind, Shape};
use automata::graph::Graph;
use automata::{Automata, State};
use domain::{CellId, Definition, LEAST, MOST, Number, ObjectId, Pointer, Targets};
use interp::{FrameView, ObjId, Scalar};
use ir::{ExprId, NodeId, VarId};

/// Level 1's answer for one function, indexed for the observer.
pub struct Level<'p> {
    pub automata: Automata<'p>,
    pub graph: Graph,
    /// By node: the states, if it is a location.
    pub states: Vec<Option<Vec<State>>>,
    /// Which expression states a fact, and whether positively.
    facts: Vec<(domain::FactId, ExprId, bool)>,
}

impl<'p> Level<'p> {
    pub fn new(automata: Automata<'p>, reached: Vec<(NodeId, Vec<State>)>) -> Level<'p> {
        let body = automata.frame.body;
        let mut states = vec![None; body.node_count as usize];
        for (node, of_node) in reached {
            states[node.0 as usize] = Some(of_node);
        }
        let mut facts = Vec::new();
        for (e, _) in body.exprs.iter() {
            if let Some((fact, positive)) = automata.conditions.fact(e) {
                facts.push((fact, e, positive));
            }
        }
        Level {
            graph: Graph::of(body),
            automata,
            states,
            facts,
        }
    }
}

/// Where an object of the analysis is in the run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Home {
    Register(VarId),
    Memory(ObjId, i128),
}

/// A concrete state beside an abstract one.
pub struct Inside<'a, 'f, 'p> {
    pub level: &'a Level<'p>,
    pub view: &'a FrameView<'f, 'p>,
    pub state: &'a State,
    pub location: usize,
    /// What comes from elsewhere may be unwritten: the analysis takes it to be written.
    pub unwritten_around: bool,
}

impl Inside<'_, '_, '_> {
    fn frame(&self) -> &Frame<'_> {
        &self.level.automata.frame
    }

    /// The first claim that does not hold.
    pub fn violation(&self) -> Option<String> {
        let objects: Vec<ObjectId> = self.frame().objects().map(|(id, _)| id).collect();
        for object in objects {
            let kind = self.frame().info(object).kind;
            if let ObjectKind::Var(v) = kind
                && !self.level.graph.is_live(self.location, v)
            {
                continue;
            }
            let Some(home) = self.home(object) else {
                continue;
            };
            for cell in self.frame().cells(object) {
                if let Some(what) = self.wrong_cell(home, cell) {
                    return Some(format!(
                        "{kind:?} {cell:?} {:?}: {what}",
                        self.frame().cell_info(cell)
                    ));
                }
            }
        }
        self.wrong_fact()
    }

    fn home(&self, object: ObjectId) -> Option<Home> {
        if self.state.lifetimes.get(object).is_some() {
            return None;
        }
        match self.frame().info(object).kind {
            ObjectKind::Var(v) => match self.view.object(v) {
                Some(id) => Some(Home::Memory(id, 0)),
                None => self.view.var(v).map(|_| Home::Register(v)),
            },
            ObjectKind::Global(g) => Some(Home::Memory(self.view.global(g)?, 0)),
            ObjectKind::Function(_) | ObjectKind::Allocated(_) => None,
            ObjectKind::Pointee(cell) => {
                let p = self.state.pointers.lookup(cell)?;
                if p.targets.single() != Some(object) {
                    return None;
                }
                let holder = cell.object();
                if let ObjectKind::Var(v) = self.frame().info(holder).kind
                    && !self.level.graph.is_live(self.location, v)
                {
                    return None;
                }
                let offset = p.offset.as_constant()?;
                let value = self.read(self.home(holder)?, cell)?;
                let value = self.view.memory().with_object(value);
                (!value.prov.is_none()).then(|| {
                    let base = self.view.memory().base(value.prov);
                    let at = i128::from(value.bits) - i128::from(base) - i128::from(offset);
                    Home::Memory(value.prov, at)
                })
            }
        }
    }

    fn read(&self, home: Home, cell: CellId) -> Option<Scalar> {
        let info = self.frame().cell_info(cell)?;
        match home {
            Home::Register(v) => self.view.var(v)?.scalar(),
            Home::Memory(id, base) => {
                let memory = self.view.memory();
                let offset = u64::try_from(base + i128::from(info.start / 8)).ok()?;
                if info.start % 8 == 0 && info.bits % 8 == 0 {
                    if info.bits > 64 {
                        return None;
                    }
                    memory.read(id, offset, info.bits as usize / 8).ok()
                } else {
                    let low = (info.start % 8) as u32;
                    memory.read_bits(id, offset, low, info.bits).ok()
                }
            }
        }
    }

    fn wrong_cell(&self, home: Home, cell: CellId) -> Option<String> {
        let info = self.frame().cell_info(cell)?;
        let value = self.read(home, cell)?;
        match info.shape {
            Shape::Int(int) => {
                let width = u32::from(int.width).min(info.bits) as u16;
                let concrete = ir::int_value(u128::from(value.bits), width, int.signed);
                if let Some(n) = self.state.bounds.lookup(cell)
                    && !contains(n, concrete)
                {
                    return Some(format!("{concrete} is not in {n:?}"));
                }
            }
            Shape::Pointer => {
                if let Some(p) = self.state.pointers.lookup(cell)
                    && !self.points(p, value)
                {
                    return Some(format!("{value:x?} is not one of {p:?}"));
                }
            }
            _ => {}
        }
        let written = value.undef == 0;
        // What a pointer from elsewhere points to is judged when it is read, by all that it may be.
        let kind = self.frame().info(cell.object()).kind;
        let elsewhere = self.unwritten_around || matches!(kind, ObjectKind::Pointee(_));
        match self.state.definedness.value(cell) {
            Definition::Undefined if written => Some("written, and held to be unwritten".into()),
            Definition::Defined if !written && !elsewhere => {
                Some("unwritten, and held to be written".into())
            }
            _ => None,
        }
    }

    fn points(&self, p: &Pointer, value: Scalar) -> bool {
        if value.bits == 0 {
            return p.null.may_be_null;
        }
        if !p.null.may_be_valid {
            return false;
        }
        let Targets::Known(objects) = &p.targets else {
            return true;
        };
        let value = self.view.memory().with_object(value);
        objects.iter().any(|&object| match self.home(object) {
            Some(Home::Memory(id, base)) => {
                let offset =
                    i128::from(value.bits) - i128::from(self.view.memory().base(id)) - base;
                id == value.prov && contains(&p.offset, offset)
            }
            Some(Home::Register(_)) => false,
            None => true,
        })
    }

    fn wrong_fact(&self) -> Option<String> {
        for &(fact, e, positive) in &self.level.facts {
            let Some(&known) = self.state.facts.get(fact) else {
                continue;
            };
            if let Some(value) = self.view.eval(e).and_then(|v| v.scalar())
                && (value.bits & 1 == 1) != (known == positive)
            {
                return Some(format!(
                    "{e:?} is {}, against the fact {fact:?}",
                    value.bits
                ));
            }
        }
        None
    }
}

/// Is the value in the interval, whose ends may be infinite?
pub fn contains(n: &Number, value: i128) -> bool {
    (n.low == LEAST || i128::from(n.low) <= value)
        && (n.high == MOST || value <= i128::from(n.high))
        && !(n.nonzero && value == 0)
}
