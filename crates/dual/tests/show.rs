use dual::arithmetic::Integers;
use dual::execute::Limits;
use dual::function::outcomes;
#[test]
fn show() {
    let text = std::fs::read_to_string("/tmp/du/foo.cfa").unwrap();
    let program = ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let context = isl::Context::new();
    for (f, _, body) in program.bodies() {
        for integers in [Integers::Machine, Integers::Unbounded] {
            context.allow_anything();
            let start = std::time::Instant::now();
            match outcomes(&context, &program, body, integers, Limits::default()) {
                Ok(o) => {
                    println!("== {} {integers:?} {:?} spent {}", program.function_name(f), start.elapsed(), context.spent());
                    for (i, input) in o.inputs.iter().enumerate() { println!("  i{i}: {:?} {:?}", input.given, input.aspect); }
                    println!("ok {}\nexit {}", o.ok, o.exit);
                    for (c, set) in &o.err { println!("err {} {:?}: {set}", c.0, program.name(body.checks[*c].rule)); }
                    println!("must {}\nmay {}\nnever {}\nloop {}", o.must().unwrap(), o.may().unwrap(), o.never().unwrap(), o.endless().unwrap());
                }
                Err(e) => println!("{} {e}", program.function_name(f)),
            }
        }
    }
}
