//! A function's hash stands for what the function is, not for where it stands.

mod common;

use common::Project;
use std::collections::BTreeMap;

/// Hash of every defined function of `unit.c`.
fn hashes(project: &Project) -> BTreeMap<String, [u8; 32]> {
    let program = common::lower(project.path(), "unit.c").remove(0);
    let all = ir::function_hashes(&program);
    program
        .bodies()
        .map(|(id, _, _)| (program.function_name(id).to_string(), all[id]))
        .collect()
}

/// The functions whose hash an edit of `SOURCE` changes.
fn changed(edit: impl Fn(&str) -> String) -> Vec<String> {
    let project = Project::new(&[("unit.c", SOURCE)]);
    let before = hashes(&project);
    let edited = edit(SOURCE);
    assert_ne!(edited, SOURCE, "the edit must change the source");
    project.write("unit.c", &edited);
    let after = hashes(&project);
    assert_eq!(
        before.keys().collect::<Vec<_>>(),
        after.keys().collect::<Vec<_>>()
    );
    after
        .into_iter()
        .filter(|(name, hash)| before[name] != *hash)
        .map(|(name, _)| name)
        .collect()
}

const SOURCE: &str = r#"
#include <assert.h>
#include <stdio.h>

struct used { int a; int b; };
struct other { long x; struct used *inside; };

static int helper(int n)
{
    assert(n > 0);
    return n * 2;
}

int uses_struct(struct used *u)
{
    return u->a + helper(u->b);
}

int holds_struct(void)
{
    struct used u = { 1, 2 };
    return u.b;
}

long passes_pointer(struct other *o)
{
    printf("%p\n", (void *)o->inside);
    return o->x;
}

int main(void)
{
    puts("hello");
    assert(helper(1) == 2);
    return 0;
}
"#;

#[test]
fn a_changed_body_changes_its_own_hash_only() {
    let edit = |s: &str| s.replace("return n * 2;", "return n + n;");
    assert_eq!(changed(edit), ["helper"]);
}

#[test]
fn moving_functions_down_changes_nothing_not_even_an_assert() {
    let edit = |s: &str| {
        s.replace(
            "static int helper",
            &format!("{}static int helper", "\n".repeat(10)),
        )
    };
    assert_eq!(changed(edit), Vec::<String>::new());
}

#[test]
fn a_new_string_literal_elsewhere_changes_nothing_else() {
    let edit = |s: &str| s.replace("return n * 2;", "puts(\"new\"); return n * 2;");
    assert_eq!(changed(edit), ["helper"]);
}

#[test]
fn a_changed_layout_changes_exactly_its_users() {
    let edit = |s: &str| {
        s.replace(
            "struct used { int a; int b; };",
            "struct used { int a; int pad; int b; };",
        )
    };
    assert_eq!(changed(edit), ["holds_struct", "uses_struct"]);
}

#[test]
fn a_changed_prototype_changes_the_callers() {
    let edit = |s: &str| s.replace("static int helper(int n)", "static int helper(long n)");
    assert_eq!(changed(edit), ["helper", "main", "uses_struct"]);
}

#[test]
fn comments_and_blanks_change_nothing() {
    let edit = |s: &str| s.replace("return u.b;", "/* the second */\n\n    return   u.b;");
    assert_eq!(changed(edit), Vec::<String>::new());
}
