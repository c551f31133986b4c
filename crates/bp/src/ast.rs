//! Boolean programs as they are written: what the parser gives.

/// A place in the text, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub line: u32,
    pub column: u32,
}

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub place: Place,
}

/// What is wrong with a program, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}: {message}", place.line, place.column)]
pub struct Error {
    pub place: Place,
    pub message: String,
}

impl Error {
    pub fn new(place: Place, message: impl Into<String>) -> Self {
        Error {
            place,
            message: message.into(),
        }
    }
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    And,
    Or,
    Xor,
    Equal,
    Implies,
}

/// An expression. Each `*` in it chooses for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    Constant(bool),
    /// `*`: any value.
    Any,
    Variable(Name),
    /// `'x`, in `constrain` only: the value after the assignment.
    Next(Name),
    Not(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// `c ? a : b`.
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `schoose[a, b]`: true if `a`, else false if `b`, else any value.
    Schoose(Box<Expression>, Box<Expression>),
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Skip,
    Assume(Expression),
    Assert(Expression),
    Goto(Vec<Name>),
    /// `x, y := e, f constrain c`: all at once.
    Assign {
        targets: Vec<Name>,
        values: Vec<Expression>,
        constrain: Option<Expression>,
    },
    /// `x, y := f(e)`, or `f(e)` alone.
    Call {
        targets: Vec<Name>,
        function: Name,
        arguments: Vec<Expression>,
    },
    Return(Vec<Expression>),
    /// Conditions with their branches, and the last one.
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    While {
        condition: Expression,
        body: Vec<Statement>,
    },
}

/// A statement with its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub labels: Vec<Name>,
    pub place: Place,
    /// How it is written, on one line: all of a simple statement, the head of another.
    pub text: String,
    pub action: Action,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: Name,
    /// How many bits it returns.
    pub returns: u32,
    pub parameters: Vec<Name>,
    pub locals: Vec<Name>,
    /// What is assumed before each of its statements, and at its end.
    pub enforced: Vec<Expression>,
    pub body: Vec<Statement>,
    /// Where its `end` stands.
    pub end: Place,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub globals: Vec<Name>,
    pub functions: Vec<Function>,
}
