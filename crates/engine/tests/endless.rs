//! Where dual analysis says that a loop never ends: checked by running it. Counters are bytes, so whatever ends ends soon.

use engine::ByDual;
use interp::{Config, Interpreter, Outcome, Scalar, Value};
use ir::Program;
use random_cfa::Rng;
use rules::Selection;

/// A loop with one or two ways out, that counts one or two bytes, tested against each other, a constant or a wider number.
fn random(rng: &mut Rng) -> Program {
    let ops = [
        ("<", ">="),
        ("<=", ">"),
        (">", "<="),
        (">=", "<"),
        ("!=", "=="),
    ];
    let sides = ["(i32)n", "(i32)a", "(i32)b", "0", "255", "127", "-128", "7"];
    let counters = ["(i32)a", "(i32)b", "(i32)c"];
    let mut lines = Vec::new();
    let mut at = 1;
    for _ in 0..1 + rng.below(2) {
        let counter = rng.pick(&counters).unwrap();
        let side = rng.pick(&sides).unwrap();
        let (stay, leave) = rng.pick(&ops).unwrap();
        lines.push(format!(
            "{at}: assume {counter} {stay} {side} -> {}",
            at + 1
        ));
        lines.push(format!("{at}: assume {counter} {leave} {side} -> 99"));
        at += 1;
    }
    for _ in 0..1 + rng.below(3) {
        let to = rng.pick(&["a", "b", "c"]).unwrap();
        let ty = if to == "c" { "i8" } else { "u8" };
        let step = rng.pick(&["+% 1", "-% 1", "+% 2", "-% 3", "+% 0"]).unwrap();
        if rng.one_in(4) {
            lines.push(format!("{at}: assume a < b -> {}", at + 1));
            lines.push(format!("{at}: assume a >= b -> {}", at + 2));
            at += 1;
        }
        lines.push(format!("{at}: {to} = {to} {step}{ty} -> {}", at + 1));
        at += 1;
    }
    lines.push(format!("{at}: skip -> 1"));
    let source = format!(
        "unit \"t.c\"\nfn f(a: u8, b: u8, c: i8, n: i16) -> u8 {{\n0: skip\n{}\n99: return a\n100: exit\n}}",
        lines.join("\n")
    );
    ir::text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

fn run(program: &Program, args: [i64; 4]) -> Result<Value, Outcome> {
    let config = Config {
        step_limit: 20_000,
        ..Config::default()
    };
    let f = program.find_function("f").unwrap();
    let args = args.iter().zip([0xff, 0xff, 0xff, 0xffff]);
    let args = args.map(|(n, mask)| Value::Scalar(Scalar::plain(n.cast_unsigned() & mask)));
    Interpreter::new(program, config).call(f, args.collect())
}

/// Whoever fails the check never ends; whoever passes it does as without it.
#[test]
fn a_loop_of_which_the_check_fails_never_ends() {
    let cases: u64 = match std::env::var("RIGEL_ENDLESS_CASES") {
        Ok(cases) => cases.parse().unwrap(),
        Err(_) => 400,
    };
    let (mut failed, mut ended, mut entered) = (0, 0, 0);
    for seed in 0..cases {
        let mut rng = Rng::new(seed);
        let program = random(&mut rng);
        let mut woven = program.clone();
        let rule = Selection::parse("infinite-loop").unwrap();
        rules::instrument_asking(&mut woven, rule, &ByDual::default());
        if let Err(violations) = ir::validate::validate(&woven) {
            panic!("{seed}: {}", violations[0].describe(&woven));
        }
        let mut alone = program.clone();
        rules::instrument(&mut alone, rule);
        entered += u32::from(ir::text::print(&alone) != ir::text::print(&woven));
        let numbers = [0, 1, 7, 127, -128, -1, 255, 256, 300, 3];
        for _ in 0..12 {
            let args = [(); 4].map(|()| *rng.pick(&numbers.each_ref()).unwrap());
            match (run(&woven, args), run(&program, args)) {
                (Err(Outcome::Failed(_)), Err(Outcome::StepLimit { .. })) => failed += 1,
                (Err(Outcome::StepLimit { .. }), Err(Outcome::StepLimit { .. })) => {}
                (Ok(a), Ok(b)) if format!("{a:?}") == format!("{b:?}") => ended += 1,
                (woven, plain) => panic!(
                    "seed {seed}, {args:?}: {woven:?}, but {plain:?}\n{}",
                    ir::text::print(&program)
                ),
            }
        }
    }
    assert!(
        failed > cases / 2 && ended > cases && u64::from(entered) > cases / 20,
        "{failed} fail, {ended} end, {entered} of the loops have such a check"
    );
}
