//! A function's hash stands for what the function is, not for where it stands.

mod common;

use common::Project;
use std::collections::BTreeMap;

/// Hash of every defined function of a unit.
fn hashes(project: &Project, unit: &str) -> BTreeMap<String, [u8; 32]> {
    let program = common::lower(project.path(), unit).remove(0);
    let all = ir::function_hashes(&program);
    program
        .bodies()
        .map(|(id, _, _)| (program.function_name(id).to_string(), all[id]))
        .collect()
}

/// The functions whose hash an edit of `SOURCE` changes.
fn changed(edit: impl Fn(&str) -> String) -> Vec<String> {
    changed_in("unit.c", SOURCE, edit)
}

/// The functions that both versions have and whose hash an edit changes.
fn changed_in(unit: &str, source: &str, edit: impl Fn(&str) -> String) -> Vec<String> {
    let project = Project::new(&[(unit, source)]);
    let before = hashes(&project, unit);
    let edited = edit(source);
    assert_ne!(edited, source, "the edit must change the source");
    project.write(unit, &edited);
    let after = hashes(&project, unit);
    let differs = |(name, hash): &(String, [u8; 32])| before.get(name).is_some_and(|h| h != hash);
    after
        .into_iter()
        .filter(differs)
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

/// Types without a name, and LLVM's own numbering of structs, belong to no function in particular.
#[test]
fn anonymous_types_elsewhere_change_nothing() {
    let source = "int before(int x) { return x; }\n\
        int anonymous(void) { struct { int z; } v = { 3 }; return v.z; }\n";
    let edit = |s: &str| s.replace("return x;", "struct { int m; } g = { x }; return g.m;");
    assert_eq!(changed_in("unit.c", source, edit), ["before"]);
}

#[test]
fn templates_used_elsewhere_change_nothing() {
    let source = "#include <string>\n#include <vector>\n\
        int before(int x) { return x; }\n\
        unsigned long victim() { std::string s(\"a\"); return s.size(); }\n";
    let edit = |s: &str| {
        s.replace(
            "return x;",
            "std::vector<int> v; v.push_back(x); std::vector<long> w; return v[0];",
        )
    };
    assert_eq!(changed_in("unit.cpp", source, edit), ["_Z6beforei"]);
}
