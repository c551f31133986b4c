//! Any solver that reads SMT-LIB 2 from its standard input: `cvc5 --lang smt2`, `yices-smt2
//! --incremental`, `z3 -in`.
//!
//! A program of somebody else's may do anything: hang, die, print without end, close its input,
//! never read it. Reading and writing therefore have a thread each, and the one who asks waits on
//! a channel with a clock beside it. This is the only clock in the whole analysis: not all solvers
//! can count their work, and a hanging one must not hold up a run. Whatever goes wrong, the process is
//! killed, and the next question starts another.
//!
//! Where an answer ends is said by the solver: each batch of commands closes with an `echo` of a
//! word that stands nowhere else.

use super::session::{Transport, Trouble};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How a solver is started.
#[derive(Clone, Debug)]
pub struct PipeCommand {
    words: Vec<String>,
    watch: Duration,
}

/// More than any answer of ours: a solver that prints more prints without end.
const LONGEST: usize = 64 << 20;

impl PipeCommand {
    /// A program and its arguments, separated by blanks; single or double quotes keep blanks.
    pub fn parse(text: &str) -> Result<PipeCommand, String> {
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        let mut quote = None;
        for c in text.chars() {
            match (quote, c) {
                (Some(q), _) if c == q => quote = None,
                (None, '\'' | '"') => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (None, _) if c.is_whitespace() => words.extend(word.take()),
                _ => word.get_or_insert_default().push(c),
            }
        }
        if quote.is_some() {
            return Err(format!("the solver `{text}` has an open quote"));
        }
        words.extend(word);
        if words.is_empty() {
            return Err("the solver has no name".into());
        }
        Ok(PipeCommand {
            words,
            watch: Duration::from_secs(10),
        })
    }

    /// How long a solver may take for one question before it is said to hang.
    pub fn watch(mut self, watch: Duration) -> PipeCommand {
        self.watch = watch;
        self
    }

    /// A solver of its own, started when the first question comes.
    pub fn solver(&self) -> Pipe {
        Pipe {
            command: self.clone(),
            running: None,
            asked: 0,
        }
    }

    /// The program's name, without its directory.
    fn program(&self) -> &str {
        let first = self.words.first().map_or("", String::as_str);
        first.rsplit('/').next().unwrap_or(first)
    }

    fn start(&self) -> Result<Running, Trouble> {
        let mut child = Command::new(&self.words[0])
            .args(&self.words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| Trouble(format!("could not be started: {error}")))?;
        let (to_solver, commands) = channel::<String>();
        // Bounded, so that a solver that prints without end waits for us.
        let (chunks, from_solver) = sync_channel::<Vec<u8>>(16);
        if let Some(mut stdin) = child.stdin.take() {
            // Ends when the solver closes its input, or when `to_solver` is dropped.
            thread::spawn(move || {
                for text in commands {
                    if stdin.write_all(text.as_bytes()).is_err() || stdin.flush().is_err() {
                        break;
                    }
                }
            });
        }
        if let Some(mut stdout) = child.stdout.take() {
            thread::spawn(move || {
                let mut buffer = vec![0; 1 << 16];
                loop {
                    match stdout.read(&mut buffer) {
                        Ok(0) | Err(_) => break,
                        Ok(n) => {
                            if chunks.send(buffer[..n].to_vec()).is_err() {
                                break;
                            }
                        }
                    }
                }
            });
        }
        Ok(Running {
            child,
            to_solver,
            from_solver,
            unread: Vec::new(),
        })
    }
}

/// A process, and the channels to the threads at its pipes.
struct Running {
    child: Child,
    to_solver: Sender<String>,
    from_solver: Receiver<Vec<u8>>,
    /// What was printed after the last answer.
    unread: Vec<u8>,
}

impl Running {
    /// What is printed until a line that says `mark`.
    fn until(&mut self, mark: &str, watch: Duration) -> Result<String, Trouble> {
        let end = Instant::now() + watch;
        let mut searched = 0;
        loop {
            if let Some((line, rest)) = find_line(&self.unread, mark, searched) {
                let after = self.unread.split_off(rest);
                let mut answer = std::mem::replace(&mut self.unread, after);
                answer.truncate(line);
                return Ok(String::from_utf8_lossy(&answer).into_owned());
            }
            searched = self.unread.len().saturating_sub(mark.len() + 2);
            if self.unread.len() > LONGEST {
                return Err(Trouble("printed without end".into()));
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.from_solver.recv_timeout(left) {
                Ok(chunk) => self.unread.extend(chunk),
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = watch.as_secs_f32();
                    return Err(Trouble(format!("did not answer within {seconds} s")));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.last_words()),
            }
        }
    }

    fn last_words(&mut self) -> Trouble {
        // It closed its output, which it may have done without ending.
        let _ = self.child.kill();
        let status = match self.child.wait() {
            Ok(status) => format!("ended ({status})"),
            Err(_) => "ended".into(),
        };
        let said = String::from_utf8_lossy(&self.unread);
        match said.lines().find(|line| !line.trim().is_empty()) {
            Some(line) => Trouble(format!("{status} after `{}`", super::session::brief(line))),
            None => Trouble(status),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        // Or else it would stay as a zombie.
        let _ = self.child.wait();
    }
}

/// The beginning of the line with the mark, and the beginning of what follows it, if that line is
/// complete. Some solvers echo the quotes as well.
fn find_line(text: &[u8], mark: &str, from: usize) -> Option<(usize, usize)> {
    let mark = mark.as_bytes();
    let at = from
        + text
            .get(from..)?
            .windows(mark.len())
            .position(|w| w == mark)?;
    let end = at + text[at..].iter().position(|&b| b == b'\n')?;
    let quoted = at > 0 && text[at - 1] == b'"';
    Some((at - usize::from(quoted), end + 1))
}

/// A solver over a pipe.
pub struct Pipe {
    command: PipeCommand,
    running: Option<Running>,
    /// For the marks.
    asked: u64,
}

impl Pipe {
    fn exchange(&mut self, commands: &str) -> Result<String, Trouble> {
        self.asked += 1;
        let mark = format!("rigel-{}-end", self.asked);
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(self.command.start()?),
        };
        let text = format!("{commands}(echo \"{mark}\")\n");
        // If the writer has ended, so has the solver, or will be found to hang.
        let _ = running.to_solver.send(text);
        running.until(&mark, self.command.watch)
    }
}

impl Transport for Pipe {
    fn name(&self) -> String {
        self.command.words.join(" ")
    }

    fn ask(&mut self, commands: &str) -> Result<String, Trouble> {
        let answer = self.exchange(commands);
        if answer.is_err() {
            self.restart();
        }
        answer
    }

    fn restart(&mut self) {
        self.running = None;
    }

    fn preamble(&self) -> String {
        let mut all = String::from(
            "(set-option :print-success false)\n\
             (set-option :produce-models true)\n\
             (set-option :produce-unsat-cores true)\n",
        );
        match self.command.program() {
            // See `z3::Z3::preamble`.
            name if name.starts_with("z3") => {}
            name if name.starts_with("cvc5") => {
                all.push_str("(set-option :incremental true)\n(set-logic QF_ABV)\n");
            }
            _ => all.push_str("(set-logic QF_ABV)\n"),
        }
        all
    }

    fn limit(&self, budget: u64) -> String {
        if self.command.program().starts_with("z3") {
            let budget = budget.clamp(1, u64::from(u32::MAX));
            format!("(set-option :rlimit {budget})\n")
        } else {
            String::new()
        }
    }
}
