//! From a Boolean program to a weighted pushdown system.
//!
//! One state; a symbol for each statement, for each place that a call returns to, and for each function's end. Weights are
//! relations on the globals, on registers for returned bits (shared bits, false except on the way back from a callee) and on
//! the variables of the current call (local bits). An assertion that fails steps to a symbol of its own, and from
//! there to the one symbol of all failures, by a weight that ends the run: so the error projection also says which
//! assertions can fail.

mod statement;

use rustc_hash::FxHashMap;
use wpds::weights::{Bit, Formula, RelationWeight, Relations, Vocabulary};
use wpds::{Configuration, Language, RuleId, Semiring, State, Symbol, System};

use crate::ast::{Action, Error, Function, Name, Place, Program, Statement};
use crate::value::Scope;

/// More variables than that are refused, in globals, returned bits, and the variables of a function together.
const MOST_BITS: usize = 2000;

/// What is to be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// An assertion that fails.
    Failure,
    /// A label, in any function.
    Label(String),
}

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Before a statement.
    Statement,
    /// Back from a call, before the results are assigned.
    Returned,
    /// The end of a function.
    End,
    /// Where the goal was reached: an assertion failed, or the label.
    Reached,
    /// Before the program begins, and after it has failed.
    Outside,
}

/// A symbol of the system, in terms of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub what: What,
    /// An index into the functions of the program.
    pub function: usize,
    pub place: Place,
    /// The statement, as it is written.
    pub text: String,
}

/// A program as a pushdown system, with a goal.
#[derive(Debug)]
pub struct Model {
    pub relations: Relations,
    pub system: System<RelationWeight>,
    /// By symbol.
    pub nodes: Vec<Node>,
    /// The names of the functions.
    pub functions: Vec<String>,
    /// Where the functions begin.
    pub heads: Vec<Place>,
    /// The names of the bits that all functions share: globals, and registers for returned bits.
    pub globals: Vec<String>,
    start: Symbol,
    goal: Symbol,
}

/// How much room the decision diagrams get, in nodes of 16 bytes, unless somebody says otherwise.
pub const ROOM: usize = 1 << 23;

impl Model {
    /// Makes the system of a program. `room` bounds the decision diagrams, in nodes.
    pub fn new(program: &Program, goal: &Goal, room: usize) -> Result<Model, Error> {
        Lowering::new(program, goal, room)?.run()
    }

    /// The start of the program: the set S.
    pub fn source(&self) -> Language {
        let start = Configuration {
            state: State(0),
            stack: vec![self.start],
        };
        Language::configuration(1, &start)
    }

    /// The failures, or the label: the set T.
    pub fn target(&self) -> Language {
        Language::on_top(1, self.goal)
    }

    /// The symbol that stands for the goal.
    pub fn goal(&self) -> Symbol {
        self.goal
    }
}

/// A statement with its symbol.
struct Numbered<'p> {
    symbol: Symbol,
    statement: &'p Statement,
    then: Vec<Numbered<'p>>,
    otherwise: Vec<Numbered<'p>>,
}

struct Lowering<'p> {
    program: &'p Program,
    goal: &'p Goal,
    model: Model,
    functions: FxHashMap<&'p str, usize>,
    entries: Vec<Symbol>,
    globals: FxHashMap<&'p str, Bit>,
    /// The first register for returned bits.
    registers: u32,
    register_count: u32,
    /// What calls do to all bits but parameters, by the number of variables of the callee.
    frames: FxHashMap<usize, Formula>,
    goal_seen: bool,
}

/// A function while it is lowered.
struct Context<'p> {
    index: usize,
    function: &'p Function,
    scope: Scope<'p>,
    labels: FxHashMap<&'p str, Symbol>,
}

fn unique<'p>(names: impl Iterator<Item = &'p Name>, what: &str) -> Result<(), Error> {
    let mut seen = FxHashMap::default();
    for name in names {
        if seen.insert(name.text.as_str(), ()).is_some() {
            let message = format!("{what} `{}` is there twice", name.text);
            return Err(Error::new(name.place, message));
        }
    }
    Ok(())
}

fn variables(function: &Function) -> impl Iterator<Item = &Name> {
    function.parameters.iter().chain(&function.locals)
}

impl<'p> Lowering<'p> {
    fn new(program: &'p Program, goal: &'p Goal, room: usize) -> Result<Self, Error> {
        unique(program.globals.iter(), "the variable")?;
        unique(program.functions.iter().map(|f| &f.name), "the function")?;
        let mut widest = 0;
        let mut returns = 0;
        for function in &program.functions {
            unique(variables(function), "the variable")?;
            widest = widest.max(variables(function).count());
            returns = returns.max(function.returns as usize);
            if program.globals.len() + widest + returns > MOST_BITS {
                let message = format!("more than {MOST_BITS} variables");
                return Err(Error::new(function.name.place, message));
            }
        }
        if program.globals.len() > MOST_BITS {
            let place = program.globals[MOST_BITS].place;
            return Err(Error::new(
                place,
                format!("more than {MOST_BITS} variables"),
            ));
        }
        let registers = program.globals.len() as u32;
        let shared = registers + returns as u32;
        let relations = Relations::new(Vocabulary::new(shared, widest as u32, room));
        let mut system = System::new(1);
        let (start, end) = (system.symbol(), system.symbol());
        let outside = Node {
            what: What::Outside,
            function: 0,
            place: Place { line: 1, column: 1 },
            text: String::new(),
        };
        let globals = program.globals.iter().map(|g| g.text.clone());
        let registered = (0..returns).map(|i| format!("returned {}", i + 1));
        Ok(Lowering {
            program,
            goal,
            functions: (0..)
                .zip(&program.functions)
                .map(|(i, f)| (f.name.text.as_str(), i))
                .collect(),
            entries: Vec::new(),
            globals: (0..)
                .map(Bit)
                .zip(&program.globals)
                .map(|(b, g)| (g.text.as_str(), b))
                .collect(),
            registers,
            register_count: returns as u32,
            frames: FxHashMap::default(),
            goal_seen: *goal == Goal::Failure,
            model: Model {
                relations,
                system,
                nodes: vec![outside.clone(), outside],
                functions: program
                    .functions
                    .iter()
                    .map(|f| f.name.text.clone())
                    .collect(),
                heads: program.functions.iter().map(|f| f.name.place).collect(),
                globals: globals.chain(registered).collect(),
                start,
                goal: end,
            },
        })
    }

    fn vocabulary(&self) -> &Vocabulary {
        self.model.relations.vocabulary()
    }

    fn symbol(&mut self, what: What, function: usize, place: Place, text: &str) -> Symbol {
        self.model.nodes.push(Node {
            what,
            function,
            place,
            text: text.to_string(),
        });
        self.model.system.symbol()
    }

    fn run(mut self) -> Result<Model, Error> {
        let Some(main) = self.functions.get("main").copied() else {
            let place = Place { line: 1, column: 1 };
            return Err(Error::new(place, "there is no function `main`"));
        };
        let program = self.program;
        let mut numbered = Vec::new();
        for (index, function) in program.functions.iter().enumerate() {
            let mut labels = FxHashMap::default();
            let body = self.number(index, &function.body, &mut labels)?;
            let end = self.symbol(What::End, index, function.end, "end");
            self.entries.push(body.first().map_or(end, |s| s.symbol));
            numbered.push((body, end, labels));
        }
        self.begin(main);
        for (index, (body, end, labels)) in numbered.into_iter().enumerate() {
            let Some(function) = program.functions.get(index) else {
                continue;
            };
            let mut names = self.globals.clone();
            let first = self.vocabulary().shared();
            names.extend(
                (first..)
                    .map(Bit)
                    .zip(variables(function))
                    .map(|(b, n)| (n.text.as_str(), b)),
            );
            let context = Context {
                index,
                function,
                scope: Scope { names },
                labels,
            };
            let first = self.model.system.rules().len();
            self.block(&context, &body, end)?;
            self.give_back(&context, end, None)?;
            self.enforce(&context, first)?;
        }
        if let Goal::Label(label) = self.goal
            && !self.goal_seen
        {
            let place = Place { line: 1, column: 1 };
            return Err(Error::new(place, format!("there is no label `{label}`")));
        }
        Ok(self.model)
    }

    /// Lets nobody go on from a statement, or from the end, where what is enforced does not hold. The function's rules are
    /// those from this number on.
    fn enforce(&mut self, c: &Context<'p>, first: usize) -> Result<(), Error> {
        if c.function.enforced.is_empty() {
            return Ok(());
        }
        let mut all = self.vocabulary().constant(true);
        for condition in &c.function.enforced {
            let value = self.value(c, condition)?;
            all = self.vocabulary().and(&all, &value.may_be_true);
        }
        let Model {
            relations,
            system,
            nodes,
            ..
        } = &mut self.model;
        let enforced = relations.assume(&all);
        for rule in first..system.rules().len() {
            let symbol = system.rules()[rule].symbol;
            let what = nodes.get(symbol.index()).map(|node| node.what);
            if matches!(what, Some(What::Statement | What::End)) {
                let rule = RuleId(u32::try_from(rule).unwrap_or(u32::MAX));
                system.reweigh(rule, |weight| relations.extend(&enforced, weight));
            }
        }
        Ok(())
    }

    /// Symbols for all statements, in the order of the text.
    fn number(
        &mut self,
        function: usize,
        statements: &'p [Statement],
        labels: &mut FxHashMap<&'p str, Symbol>,
    ) -> Result<Vec<Numbered<'p>>, Error> {
        let mut all = Vec::new();
        for statement in statements {
            let symbol = self.symbol(What::Statement, function, statement.place, &statement.text);
            for label in &statement.labels {
                if labels.insert(label.text.as_str(), symbol).is_some() {
                    let message = format!("the label `{}` is there twice", label.text);
                    return Err(Error::new(label.place, message));
                }
            }
            let (then, otherwise): (&[Statement], &[Statement]) = match &statement.action {
                Action::If {
                    then, otherwise, ..
                } => (then, otherwise),
                Action::While { body, .. } => (body, &[]),
                _ => (&[], &[]),
            };
            all.push(Numbered {
                symbol,
                statement,
                then: self.number(function, then, labels)?,
                otherwise: self.number(function, otherwise, labels)?,
            });
        }
        Ok(all)
    }

    /// Registers are false where the program begins, and so are the bits that `main` has no name for.
    fn begin(&mut self, main: usize) {
        let v = self.vocabulary();
        let named = self
            .program
            .functions
            .get(main)
            .map_or(0, |f| variables(f).count() as u32);
        let unnamed = |bit: &Bit| {
            (self.registers..v.shared()).contains(&bit.0) || bit.0 >= v.shared() + named
        };
        let condition = v
            .from_below()
            .filter(unnamed)
            .fold(v.constant(true), |all, bit| {
                v.and(&v.not(&v.now(bit)), &all)
            });
        let weight = self.model.relations.assume(&condition);
        if let Some(entry) = self.entries.get(main).copied() {
            self.model.system.step(self.model.start, entry, weight);
        }
    }
}
