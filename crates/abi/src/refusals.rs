//! Lines on stderr about code that the software GPU refuses. A GPU refuses in silence, and
//! frameworks that look for the best of several codes swallow the error: a sum is 0 then, and
//! nobody knows why. What is said is short: each line once, and not many.

use outhaul_lock::Mutex;
use std::io::Write;

const LINES_MAX: usize = 4;

/// Why there is no code for the software GPU, of which code there is.
pub fn no_ptx(capability: &str, targets: &[String]) -> String {
    let found = if targets.is_empty() { "nothing".to_owned() } else { targets.join(", ") };
    format!(
        "no PTX for compute capability {capability}, but {found}; it runs nothing else, so give it \
        some (nvcc -gencode arch=compute_75,code=compute_75; \
         CUPY_COMPILE_WITH_PTX=1 for CuPy)"
    )
}

/// Says that code is refused, and why.
pub fn say(reason: &str) {
    static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut said = SAID.lock();
    if let Some(line) = next_line(&mut said, reason) {
        // Nobody may be reading, which is no reason for a program to die.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}

fn next_line(said: &mut Vec<String>, reason: &str) -> Option<String> {
    if said.len() > LINES_MAX || said.iter().any(|earlier| earlier == reason) {
        return None;
    }
    said.push(reason.to_owned());
    Some(match said.len() {
        1..=LINES_MAX => format!(
            "outhaul: the software GPU refuses code of this program: \
        {reason}\n"
        ),
        _ => "outhaul: the software GPU refuses more code of this program; OUTHAUL_LOG=1 says \
        which\n"
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_said_once_and_there_is_an_end() {
        let mut said = Vec::new();
        assert!(
            next_line(&mut said, "a cubin")
                .unwrap()
                .contains("refuses code of this program: a cubin")
        );
        assert_eq!(next_line(&mut said, "a cubin"), None);
        let lines: Vec<String> =
            (0..100).filter_map(|i| next_line(&mut said, &i.to_string())).collect();
        assert_eq!(lines.len(), LINES_MAX);
        assert!(lines[LINES_MAX - 1].contains("OUTHAUL_LOG=1"));
    }
}
