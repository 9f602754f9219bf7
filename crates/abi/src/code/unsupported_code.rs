//! Messages on stderr about code that the software GPU rejects. A real GPU returns only an error,
//! which frameworks that try several code variants ignore. A sum may then be 0, and the user does
//! not learn why. Each message appears once, and only a few appear.

use outhaul_lock::Mutex;
use std::io::Write;

const LINES_MAX: usize = 4;
const PREFIX: &str = "outhaul: the software GPU refuses code of this program: ";

/// Returns a message for code without PTX that the software GPU can run, with the targets that
/// exist.
pub fn no_ptx(capability: &str, targets: &[String]) -> String {
    let found = if targets.is_empty() { "nothing".to_owned() } else { targets.join(", ") };
    format!(
        "no PTX for compute capability {capability}, but {found}; it runs nothing else, so give it \
        some (nvcc -gencode arch=compute_75,code=compute_75; \
         CUPY_COMPILE_WITH_PTX=1 for CuPy)"
    )
}

/// Reports that the software GPU rejects code, with the reason.
pub fn report(reason: &str) {
    static REPORTED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut reported = REPORTED.lock();
    if let Some(line) = next_line(&mut reported, reason) {
        // Ignored because the program must continue even if stderr is closed.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}

/// Returns the reason in a line that [`report`] wrote in another process.
pub fn reason_of(line: &[u8]) -> Option<&str> {
    std::str::from_utf8(line).ok()?.strip_prefix(PREFIX)?.strip_suffix('\n')
}

fn next_line(reported: &mut Vec<String>, reason: &str) -> Option<String> {
    if reported.len() > LINES_MAX || reported.iter().any(|earlier| earlier == reason) {
        return None;
    }
    reported.push(reason.to_owned());
    Some(match reported.len() {
        1..=LINES_MAX => format!("{PREFIX}{reason}\n"),
        _ => "outhaul: the software GPU refuses more code of this program; OUTHAUL_LOG=1 says \
        which\n"
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_reported_once_up_to_a_limit() {
        let mut reported = Vec::new();
        assert!(
            next_line(&mut reported, "a cubin")
                .unwrap()
                .contains("refuses code of this program: a cubin")
        );
        assert_eq!(next_line(&mut reported, "a cubin"), None);
        let other = next_line(&mut reported, "another").unwrap();
        assert_eq!(reason_of(other.as_bytes()), Some("another"));
        assert_eq!(reason_of(b"another\n"), None);
        reported.pop();
        let lines: Vec<String> =
            (0..100).filter_map(|i| next_line(&mut reported, &i.to_string())).collect();
        assert_eq!(lines.len(), LINES_MAX);
        assert!(lines[LINES_MAX - 1].contains("OUTHAUL_LOG=1"));
    }
}
