//! The findings that the tests show.

use report::{
    Caller, Finding, FingerprintParts, Importance, Location, Step, StepKind, Totals, Verdict,
};

/// The design's example, as a file.
pub const LIST: &str = "\
#include <stddef.h>

struct node {
    struct node *next;
    int value;
};
int last(struct node *l)
{
    struct node *p = NULL;
    for (; l; l = l->next)
        p = l;

    /* the list has ended */
    return p->value;
}
";

pub const MAIN: &str = "\
int last(struct node *l);
int main(void)
{
    return last(NULL);
}
";

/// Files in memory.
pub fn sources(files: &'static [(&'static str, &'static str)]) -> impl report::Sources {
    move |file: &str, line: u32| {
        let (_, text) = files.iter().find(|(name, _)| *name == file)?;
        let at = (line as usize).checked_sub(1)?;
        text.lines().nth(at).map(str::to_string)
    }
}

pub fn step(file: &str, line: u32, column: u32, kind: StepKind, text: &str) -> Step {
    Step {
        location: Location::new(file, line, column),
        function: "last".to_string(),
        kind,
        text: text.to_string(),
        depth: 0,
        importance: Importance::Essential,
        values: Vec::new(),
    }
}

pub fn rule(id: &str) -> Option<&'static rules::Meta> {
    let rule = rules::find(id).unwrap_or_else(|| panic!("no rule {id}"));
    Some(rule.meta())
}

/// The finding of design.md §9.
pub fn null_dereference() -> Finding {
    Finding {
        rule: rule("null-dereference"),
        verdict: Verdict::Must,
        message: "`p` is null when it is dereferenced".to_string(),
        location: Location::new("list.c", 14, 12),
        function: "last".to_string(),
        also_in: Vec::new(),
        steps: vec![
            step("list.c", 9, 18, StepKind::Assign, "p = NULL"),
            step(
                "list.c",
                10,
                12,
                StepKind::Loop,
                "l is NULL: the loop body never runs",
            ),
            step("list.c", 14, 12, StepKind::Check, "p dereferenced"),
        ],
        when: Some("l == NULL".to_string()),
        why: None,
        seen: None,
        called: vec![Caller {
            location: Location::new("main.c", 4, 12),
            text: "last(NULL)".to_string(),
        }],
        projection: None,
        fingerprint_parts: FingerprintParts {
            function: "last".to_string(),
            condition: "p != null".to_string(),
            ordinal: 0,
        },
    }
}

/// The same error, seen from `main`: a path over two files.
pub fn over_two_files() -> Finding {
    let mut finding = null_dereference();
    let mut call = step("main.c", 4, 12, StepKind::Call, "last(NULL) is called");
    call.function = "main".to_string();
    call.values = vec![("l".to_string(), "NULL".to_string())];
    for step in &mut finding.steps {
        step.depth = 1;
    }
    finding.steps.insert(0, call);
    finding.called.clear();
    finding
}

pub fn totals() -> Totals {
    Totals {
        units: 2,
        functions: 2,
        checks: 9,
        proved: 8,
        reported: 1,
        ..Totals::default()
    }
}
