//! Device code's `printf`: formats C format strings with the packed argument buffer that `vprintf`
//! receives.

use std::ffi::CStr;
use std::ptr;

/// Maximum width or precision. Larger values are bugs or attacks.
const WIDTH_MAX: usize = 4096;

struct Arguments {
    at: *const u8,
    offset: usize,
}

impl Arguments {
    /// Returns the next argument, which has 4 or 8 bytes and natural alignment in the buffer.
    unsafe fn take<T: Copy>(&mut self) -> T {
        let size = size_of::<T>();
        self.offset = self.offset.next_multiple_of(size);
        // SAFETY: the caller guarantees that the buffer holds every argument that the format names.
        let value = unsafe { ptr::read_unaligned(self.at.add(self.offset).cast()) };
        self.offset += size;
        value
    }
}

#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    long: bool,
    half: u8,
}

/// Appends the formatted text to `out` and returns the number of arguments, as CUDA's `printf`
/// does.
///
/// # Safety
/// `format` is a valid C string, and `arguments` is valid for reads of every argument that `format`
/// names.
pub unsafe fn expand(out: &mut Vec<u8>, format: *const i8, arguments: *const u8) -> i32 {
    // SAFETY: the caller upholds this function's contract.
    let format = unsafe { CStr::from_ptr(format) }.to_bytes();
    let mut arguments = Arguments { at: arguments, offset: 0 };
    let (mut at, mut count) = (0, 0);
    while at < format.len() {
        if format[at] != b'%' {
            out.push(format[at]);
            at += 1;
            continue;
        }
        at += 1;
        if format.get(at) == Some(&b'%') {
            out.push(b'%');
            at += 1;
            continue;
        }
        // SAFETY: the caller upholds this function's contract.
        let spec = unsafe { parse(format, &mut at, &mut arguments) };
        let Some(&conversion) = format.get(at) else { break };
        at += 1;
        count += 1;
        // SAFETY: the caller upholds this function's contract.
        unsafe { convert(out, &spec, conversion, &mut arguments) };
    }
    count
}

unsafe fn parse(format: &[u8], at: &mut usize, arguments: &mut Arguments) -> Spec {
    let mut spec = Spec::default();
    while let Some(&c) = format.get(*at) {
        match c {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternate = true,
            b'0' => spec.zero = true,
            _ => break,
        }
        *at += 1;
    }
    let mut number = |at: &mut usize| {
        if format.get(*at) == Some(&b'*') {
            *at += 1;
            // SAFETY: the caller upholds this function's contract.
            return unsafe { arguments.take::<i32>() };
        }
        let mut value = 0i32;
        while let Some(digit) = format.get(*at).filter(|c| c.is_ascii_digit()) {
            value = value.saturating_mul(10).saturating_add(i32::from(digit - b'0'));
            *at += 1;
        }
        value
    };
    let width = number(at);
    spec.left |= width < 0;
    spec.width = (width.unsigned_abs() as usize).min(WIDTH_MAX);
    if format.get(*at) == Some(&b'.') {
        *at += 1;
        let precision = number(at);
        spec.precision = (precision >= 0).then_some((precision as usize).min(WIDTH_MAX));
    }
    while let Some(&c) = format.get(*at) {
        match c {
            b'l' | b'z' | b'j' | b't' | b'q' => spec.long = true,
            b'h' => spec.half += 1,
            b'L' => {}
            _ => break,
        }
        *at += 1;
    }
    spec
}

unsafe fn convert(out: &mut Vec<u8>, spec: &Spec, conversion: u8, arguments: &mut Arguments) {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        match conversion {
            b'd' | b'i' => {
                let value = if spec.long {
                    arguments.take::<i64>()
                } else {
                    i64::from(arguments.take::<i32>())
                };
                let value = match spec.half {
                    0 => value,
                    1 => i64::from(value as i16),
                    _ => i64::from(value as i8),
                };
                integer(out, spec, sign(spec, value < 0), value.unsigned_abs().to_string());
            }
            b'u' | b'x' | b'X' | b'o' => {
                let value = if spec.long {
                    arguments.take::<u64>()
                } else {
                    u64::from(arguments.take::<u32>())
                };
                let value = match spec.half {
                    0 => value,
                    1 => u64::from(value as u16),
                    _ => u64::from(value as u8),
                };
                let (digits, prefix) = match conversion {
                    b'x' => (format!("{value:x}"), "0x"),
                    b'X' => (format!("{value:X}"), "0X"),
                    b'o' => (format!("{value:o}"), "0"),
                    _ => (value.to_string(), ""),
                };
                integer(out, spec, if spec.alternate && value != 0 { prefix } else { "" }, digits);
            }
            b'p' => {
                let value = arguments.take::<u64>();
                let text = if value == 0 { "(nil)".to_string() } else { format!("{value:#x}") };
                pad(out, spec, "", text.as_bytes(), false);
            }
            b'c' => pad(out, spec, "", &[arguments.take::<i32>() as u8], false),
            b's' => {
                let pointer = arguments.take::<*const i8>();
                let text =
                    if pointer.is_null() { b"(null)" } else { CStr::from_ptr(pointer).to_bytes() };
                pad(
                    out,
                    spec,
                    "",
                    &text[..text.len().min(spec.precision.unwrap_or(usize::MAX))],
                    false,
                );
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                float(out, spec, conversion, arguments.take::<f64>());
            }
            other => out.extend([b'%', other]),
        }
    }
}

fn sign(spec: &Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn integer(out: &mut Vec<u8>, spec: &Spec, prefix: &str, digits: String) {
    let digits = match spec.precision {
        Some(0) if digits == "0" => String::new(),
        Some(precision) => format!("{digits:0>precision$}"),
        None => digits,
    };
    pad(out, spec, prefix, digits.as_bytes(), spec.precision.is_none());
}

fn pad(out: &mut Vec<u8>, spec: &Spec, prefix: &str, body: &[u8], zeros: bool) {
    let fill = spec.width.saturating_sub(prefix.len() + body.len());
    let zeros = zeros && spec.zero && !spec.left;
    if !spec.left && !zeros {
        out.resize(out.len() + fill, b' ');
    }
    out.extend(prefix.as_bytes());
    if zeros {
        out.resize(out.len() + fill, b'0');
    }
    out.extend(body);
    if spec.left {
        out.resize(out.len() + fill, b' ');
    }
}

fn float(out: &mut Vec<u8>, spec: &Spec, conversion: u8, value: f64) {
    // The C library handles every special case of these formats. It receives a format that is built
    // here, never the program's format.
    let mut format = Vec::from(b"%");
    let flags = [
        (spec.left, b'-'),
        (spec.plus, b'+'),
        (spec.space, b' '),
        (spec.alternate, b'#'),
        (spec.zero, b'0'),
    ];
    format.extend(flags.iter().filter(|(set, _)| *set).map(|(_, flag)| *flag));
    format.extend(if spec.precision.is_some() { &b"*.*"[..] } else { b"*" });
    format.extend([conversion, 0]);
    let mut buffer = vec![0u8; spec.width.max(WIDTH_MAX) + spec.precision.unwrap_or(6) + 400];
    let width = spec.width as libc::c_int;
    // SAFETY: the format matches the arguments, and the call receives the buffer's size.
    let length = unsafe {
        let (to, size) = (buffer.as_mut_ptr().cast(), buffer.len());
        match spec.precision {
            Some(precision) => libc::snprintf(
                to,
                size,
                format.as_ptr().cast(),
                width,
                precision as libc::c_int,
                value,
            ),
            None => libc::snprintf(to, size, format.as_ptr().cast(), width, value),
        }
    };
    out.extend(&buffer[..(length.max(0) as usize).min(buffer.len())]);
}
