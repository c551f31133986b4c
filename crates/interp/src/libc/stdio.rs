//! `<stdio.h>`: the three standard streams. No file exists but `/dev/null` ([`super::device`]).

use super::format::format;
use super::{Args, Host, Table, VarArgs};
use crate::io::Stream;
use crate::machine::Machine;
use crate::outcome::{Ctl, FaultKind};
use crate::value::{Scalar, Value};

/// The FILE objects that `stdin`, `stdout` and `stderr` point to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FileState {
    streams: [Scalar; 3],
}

const EOF: Value = Value::i32(-1);
const ENOENT: u32 = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum File {
    In,
    Write(Stream),
    /// `/dev/null`.
    Null,
}

impl<'p> Machine<'p> {
    /// Makes the FILE objects and lets the program's `stdin` … point to them.
    pub(crate) fn open_streams(&mut self) -> Result<(), Ctl> {
        for (i, names) in [
            ["stdin", "__stdinp"],
            ["stdout", "__stdoutp"],
            ["stderr", "__stderrp"],
        ]
        .iter()
        .enumerate()
        {
            let file = self.new_static(216)?;
            self.lib.files.streams[i] = file;
            for name in names {
                let Some(g) = self.global_named(name) else {
                    continue;
                };
                let known = self.program.globals[g].init.is_some();
                if let (false, Some(obj)) = (known, self.addresses.global(g)) {
                    let p = self.mem.address(obj);
                    self.write_scalar(p, 8, file)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn file(&self, p: Scalar) -> Result<File, Ctl> {
        let [input, out, err] = self.lib.files.streams;
        match p.bits {
            b if b == input.bits => Ok(File::In),
            b if b == out.bits => Ok(File::Write(Stream::Out)),
            b if b == err.bits => Ok(File::Write(Stream::Err)),
            _ if self.lib.opened.has_stream(p) => Ok(File::Null),
            0 => Err(Ctl::fault(FaultKind::NullAccess, "a null stream")),
            _ => Err(Ctl::fault(
                FaultKind::WildAccess,
                format!("{} is not a stream", self.describe(p)),
            )),
        }
    }

    fn emit(&mut self, file: File, bytes: &[u8]) -> bool {
        match file {
            File::In => false,
            File::Write(stream) => {
                self.io.write(stream, bytes);
                true
            }
            File::Null => true,
        }
    }
}

const OUT: File = File::Write(Stream::Out);

fn print(
    m: &mut Machine<'_>,
    file: File,
    fmt: Scalar,
    mut args: VarArgs<'_>,
) -> Result<Value, Ctl> {
    let text = format(m, fmt, &mut args)?;
    if !m.emit(file, &text) {
        return Ok(EOF);
    }
    Ok(Value::i32(text.len() as i32))
}

/// Formats into memory: all of it and a 0, or as much as fits `size`.
fn print_to(
    m: &mut Machine<'_>,
    to: Scalar,
    size: Option<u64>,
    fmt: Scalar,
    mut args: VarArgs<'_>,
) -> Result<Value, Ctl> {
    let mut text = format(m, fmt, &mut args)?;
    let length = text.len();
    if size != Some(0) {
        if let Some(size) = size {
            text.truncate((size - 1).min(length as u64) as usize);
        }
        text.push(0);
        m.write_bytes(to, &text)?;
    }
    Ok(Value::i32(length as i32))
}

fn rest(args: &[Value], from: usize) -> VarArgs<'_> {
    VarArgs::Values(args.get(from..).unwrap_or_default())
}

fn list(args: &[Value], i: usize) -> Result<VarArgs<'_>, Ctl> {
    Ok(VarArgs::List(args.at(i)?))
}

fn get_line(m: &mut Machine<'_>, to: Scalar, size: Option<u64>) -> Result<Value, Ctl> {
    let mut line = Vec::new();
    loop {
        if size.is_some_and(|n| line.len() as u64 + 1 >= n) {
            break;
        }
        match m.io.get() {
            None if line.is_empty() => return Ok(Value::int(0)),
            None => break,
            Some(b'\n') => {
                // `gets` drops it.
                if size.is_some() {
                    line.push(b'\n');
                }
                break;
            }
            Some(b) => line.push(b),
        }
    }
    line.push(0);
    m.write_bytes(to, &line)?;
    Ok(Value::Scalar(to))
}

/// `getline`: a line of any length into a block that grows.
fn get_delimited(m: &mut Machine<'_>, a: &[Value], end: u8, stream: Scalar) -> Result<Value, Ctl> {
    let (block, size) = (a.at(0)?, a.at(1)?);
    let mut line = Vec::new();
    if m.file(stream)? == File::In {
        while let Some(b) = m.io.get() {
            line.push(b);
            if b == end {
                break;
            }
        }
    }
    if line.is_empty() {
        return Ok(Value::i64(-1));
    }
    let length = line.len() as i64;
    line.push(0);
    let mut to = m.read_pointer(block)?;
    let room = match to.bits {
        0 => 0,
        _ => m.read_word(size, 8)?.bits,
    };
    let needed = line.len() as u64;
    if room < needed {
        let room = needed.max(120).max(2 * room);
        to = m.realloc(to, room)?;
        m.write_scalar(block, 8, to)?;
        m.write_word(size, 8, room)?;
    }
    m.write_bytes(to, &line)?;
    Ok(Value::i64(length))
}

fn put(m: &mut Machine<'_>, file: File, byte: u8) -> Result<Value, Ctl> {
    Ok(if m.emit(file, &[byte]) {
        Value::i32(i32::from(byte))
    } else {
        EOF
    })
}

fn get(m: &mut Machine<'_>) -> Result<Value, Ctl> {
    Ok(m.io.get().map_or(EOF, |b| Value::i32(i32::from(b))))
}

fn zero(_: &mut dyn Host<'_>, _: &[Value]) -> Result<Value, Ctl> {
    Ok(Value::int(0))
}

pub(super) fn no_file(h: &mut dyn Host<'_>, _: &[Value]) -> Result<Value, Ctl> {
    h.m().set_errno(ENOENT)?;
    Ok(Value::int(0))
}

pub(super) fn fail(_: &mut dyn Host<'_>, _: &[Value]) -> Result<Value, Ctl> {
    Ok(EOF)
}

pub(super) const TABLE: Table = &[
    ("printf", |h, a| print(h.m(), OUT, a.at(0)?, rest(a, 1))),
    ("fprintf", |h, a| {
        let file = h.m().file(a.at(0)?)?;
        print(h.m(), file, a.at(1)?, rest(a, 2))
    }),
    ("dprintf", |h, a| {
        let file = if a.int(0)? == 2 {
            File::Write(Stream::Err)
        } else {
            OUT
        };
        print(h.m(), file, a.at(1)?, rest(a, 2))
    }),
    ("vprintf", |h, a| print(h.m(), OUT, a.at(0)?, list(a, 1)?)),
    ("vfprintf", |h, a| {
        let file = h.m().file(a.at(0)?)?;
        print(h.m(), file, a.at(1)?, list(a, 2)?)
    }),
    ("sprintf", |h, a| {
        print_to(h.m(), a.at(0)?, None, a.at(1)?, rest(a, 2))
    }),
    ("vsprintf", |h, a| {
        print_to(h.m(), a.at(0)?, None, a.at(1)?, list(a, 2)?)
    }),
    ("snprintf", |h, a| {
        print_to(h.m(), a.at(0)?, Some(a.u64(1)?), a.at(2)?, rest(a, 3))
    }),
    ("vsnprintf", |h, a| {
        print_to(h.m(), a.at(0)?, Some(a.u64(1)?), a.at(2)?, list(a, 3)?)
    }),
    ("asprintf", |h, a| {
        allocate_print(h.m(), a.at(0)?, a.at(1)?, rest(a, 2))
    }),
    ("vasprintf", |h, a| {
        allocate_print(h.m(), a.at(0)?, a.at(1)?, list(a, 2)?)
    }),
    // The fortified forms: a flag, and the object's size where one is written to.
    ("__printf_chk", |h, a| {
        print(h.m(), OUT, a.at(1)?, rest(a, 2))
    }),
    ("__vprintf_chk", |h, a| {
        print(h.m(), OUT, a.at(1)?, list(a, 2)?)
    }),
    ("__fprintf_chk", |h, a| {
        let file = h.m().file(a.at(0)?)?;
        print(h.m(), file, a.at(2)?, rest(a, 3))
    }),
    ("__vfprintf_chk", |h, a| {
        let file = h.m().file(a.at(0)?)?;
        print(h.m(), file, a.at(2)?, list(a, 3)?)
    }),
    ("__sprintf_chk", |h, a| {
        print_to(h.m(), a.at(0)?, None, a.at(3)?, rest(a, 4))
    }),
    ("__vsprintf_chk", |h, a| {
        print_to(h.m(), a.at(0)?, None, a.at(3)?, list(a, 4)?)
    }),
    ("__snprintf_chk", |h, a| {
        print_to(h.m(), a.at(0)?, Some(a.u64(1)?), a.at(4)?, rest(a, 5))
    }),
    ("__vsnprintf_chk", |h, a| {
        print_to(h.m(), a.at(0)?, Some(a.u64(1)?), a.at(4)?, list(a, 5)?)
    }),
    ("puts", |h, a| {
        let mut text = h.m().read_str(a.at(0)?)?;
        text.push(b'\n');
        h.m().emit(OUT, &text);
        Ok(Value::i32(text.len() as i32))
    }),
    ("fputs", |h, a| {
        let text = h.m().read_str(a.at(0)?)?;
        let file = h.m().file(a.at(1)?)?;
        Ok(if h.m().emit(file, &text) {
            Value::i32(1)
        } else {
            EOF
        })
    }),
    ("fputs_unlocked", |h, a| {
        let text = h.m().read_str(a.at(0)?)?;
        let file = h.m().file(a.at(1)?)?;
        Ok(if h.m().emit(file, &text) {
            Value::i32(1)
        } else {
            EOF
        })
    }),
    ("putchar", |h, a| put(h.m(), OUT, a.byte(0)?)),
    ("putchar_unlocked", |h, a| put(h.m(), OUT, a.byte(0)?)),
    ("fputc", put_file),
    ("putc", put_file),
    ("_IO_putc", put_file),
    ("putc_unlocked", put_file),
    ("fwrite", |h, a| {
        let (size, count) = (a.u64(1)?, a.u64(2)?);
        let file = h.m().file(a.at(3)?)?;
        let Some(total) = size.checked_mul(count) else {
            return Ok(Value::int(0));
        };
        let bytes = h.m().read_bytes(a.at(0)?, total)?;
        Ok(Value::int(if h.m().emit(file, &bytes) { count } else { 0 }))
    }),
    ("perror", |h, a| {
        let p = a.at(0)?;
        let m = h.m();
        let errno = m.errno()?;
        let code = m.read_word(errno, 4)?.bits as i32;
        let mut text = Vec::new();
        if p.bits != 0 {
            text = m.read_str(p)?;
            if !text.is_empty() {
                text.extend_from_slice(b": ");
            }
        }
        text.extend_from_slice(super::string::error_text(code).as_bytes());
        text.push(b'\n');
        m.emit(File::Write(Stream::Err), &text);
        Ok(Value::Void)
    }),
    ("fflush", zero),
    ("setvbuf", zero),
    ("setbuf", zero),
    ("setlinebuf", zero),
    ("ferror", zero),
    ("clearerr", |h, _| {
        h.m().io.eof = false;
        Ok(Value::Void)
    }),
    ("feof", |h, a| {
        let file = h.m().file(a.at(0)?)?;
        Ok(Value::i32((file == File::In && h.m().io.eof) as i32))
    }),
    ("fileno", |h, a| {
        Ok(Value::i32(match h.m().file(a.at(0)?)? {
            File::In => 0,
            File::Write(Stream::Out) => 1,
            File::Write(Stream::Err) => 2,
            File::Null => 3,
        }))
    }),
    ("getchar", |h, _| get(h.m())),
    ("getchar_unlocked", |h, _| get(h.m())),
    ("getc", get_file),
    ("fgetc", get_file),
    ("_IO_getc", get_file),
    ("getc_unlocked", get_file),
    ("ungetc", |h, a| {
        let c = a.int(0)?;
        if c >= 0 {
            h.m().io.unget(c as u8);
        }
        Ok(Value::i32(c))
    }),
    ("gets", |h, a| get_line(h.m(), a.at(0)?, None)),
    ("fgets", |h, a| {
        let (to, size) = (a.at(0)?, a.int(1)?);
        match h.m().file(a.at(2)?)? {
            File::In if size > 0 => get_line(h.m(), to, Some(size as u64)),
            _ => Ok(Value::int(0)),
        }
    }),
    ("getline", |h, a| get_delimited(h.m(), a, b'\n', a.at(2)?)),
    ("getdelim", |h, a| {
        get_delimited(h.m(), a, a.byte(2)?, a.at(3)?)
    }),
    ("fread", |h, a| {
        let (size, count) = (a.u64(1)?, a.u64(2)?);
        if h.m().file(a.at(3)?)? != File::In || size == 0 {
            return Ok(Value::int(0));
        }
        let total = size.saturating_mul(count);
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < total {
            match h.m().io.get() {
                Some(b) => bytes.push(b),
                None => break,
            }
        }
        h.m().write_bytes(a.at(0)?, &bytes)?;
        Ok(Value::int(bytes.len() as u64 / size))
    }),
    ("freopen", no_file),
    ("tmpfile", no_file),
    ("popen", no_file),
    ("pclose", fail),
    ("remove", fail),
    ("unlink", fail),
    ("rename", fail),
    ("fseek", fail),
    ("fseeko", fail),
    ("ftell", fail),
    ("ftello", fail),
    ("access", fail),
    ("isatty", zero),
    ("write", |h, a| {
        let file = match a.int(0)? {
            1 => OUT,
            2 => File::Write(Stream::Err),
            fd if h.m().lib.opened.has_descriptor(fd) => File::Null,
            _ => return Ok(Value::i64(-1)),
        };
        let bytes = h.m().read_bytes(a.at(1)?, a.u64(2)?)?;
        h.m().emit(file, &bytes);
        Ok(Value::int(bytes.len() as u64))
    }),
    ("read", |h, a| {
        if h.m().lib.opened.has_descriptor(a.int(0)?) {
            return Ok(Value::int(0));
        }
        if a.int(0)? != 0 {
            return Ok(Value::i64(-1));
        }
        let max = a.u64(2)?;
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < max {
            match h.m().io.get() {
                Some(b) => bytes.push(b),
                None => break,
            }
        }
        h.m().write_bytes(a.at(1)?, &bytes)?;
        Ok(Value::int(bytes.len() as u64))
    }),
];

fn put_file(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let file = h.m().file(a.at(1)?)?;
    put(h.m(), file, a.byte(0)?)
}

fn get_file(h: &mut dyn Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    match h.m().file(a.at(0)?)? {
        File::In => get(h.m()),
        File::Write(_) | File::Null => Ok(EOF),
    }
}

fn allocate_print(
    m: &mut Machine<'_>,
    to: Scalar,
    fmt: Scalar,
    mut args: VarArgs<'_>,
) -> Result<Value, Ctl> {
    let mut text = format(m, fmt, &mut args)?;
    text.push(0);
    let block = m.malloc(text.len() as u64, 16, false);
    m.write_bytes(block, &text)?;
    m.write_scalar(to, 8, block)?;
    Ok(Value::i32(text.len() as i32 - 1))
}
