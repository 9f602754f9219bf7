//! Finds public items without a doc comment. Unlike the compiler's `missing_docs` lint, the check
//! includes private modules and binaries.
//!
//! Deliberately absent: fields and variants, which the lint checks. Also the driver's and NVML's
//! functions under their C names, which NVIDIA's documents describe.

const ITEMS: [&str; 8] = ["fn", "struct", "enum", "trait", "union", "const", "static", "type"];
/// Words between `pub` and the item's keyword.
const QUALIFIERS: [&str; 4] = ["const", "unsafe", "async", "extern"];

/// Returns the line number and text of each undocumented public item in a file.
pub fn places<'a>(path: &str, text: &'a str) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    if path.contains("tests/") || path.ends_with("/tests.rs") {
        return found;
    }
    let mut is_documented = false;
    // Number of attribute brackets that a later line closes.
    let mut open = 0;
    // The indentation of an item that the check skips, until the item's last line.
    let mut left_out: Option<&str> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim_start();
        let indentation = &line[..line.len() - trimmed.len()];
        if let Some(start) = left_out {
            if indentation == start && trimmed.ends_with(['}', ';', ',']) {
                left_out = None;
            }
        } else if open > 0 {
            open += opened(trimmed);
        } else if trimmed.starts_with("#![allow(missing_docs") {
            return found;
        } else if trimmed.starts_with("#[cfg(test)]") || trimmed.starts_with("#[allow(missing_docs")
        {
            left_out = Some(indentation);
        } else if trimmed.starts_with("#[") {
            open = opened(trimmed);
        } else if trimmed.trim_start_matches(['r', '#', '"']).starts_with("///") {
            is_documented = true;
        } else {
            if !is_documented && is_public_item(trimmed) {
                found.push((number, trimmed));
            }
            is_documented = false;
        }
    }
    found
}

fn opened(line: &str) -> isize {
    let count = |bracket| line.matches(bracket).count() as isize;
    count('[') - count(']')
}

fn is_public_item(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("pub") else { return false };
    let rest = match rest.strip_prefix('(') {
        Some(rest) => rest.split_once(')').map_or("", |(_, rest)| rest),
        None => rest,
    };
    let Some(rest) = rest.strip_prefix(' ') else { return false };
    let mut words = rest.split_whitespace().peekable();
    let mut kind = words.next();
    while let Some(word) = kind {
        let is_qualifier = QUALIFIERS.contains(&word) || word.starts_with('"');
        let qualifies = words.peek().is_some_and(|next| is_word_of_function(next));
        if !is_qualifier || !qualifies {
            break;
        }
        kind = words.next();
    }
    let name = words.next().unwrap_or_default();
    kind.is_some_and(|kind| ITEMS.contains(&kind)) && !is_c_name(name)
}

fn is_word_of_function(word: &str) -> bool {
    word == "fn" || word == "trait" || QUALIFIERS.contains(&word) || word.starts_with('"')
}

/// Returns whether the name is NVIDIA's, such as `cuInit` or `nvmlShutdown`. Macros and emitters
/// insert such names.
fn is_c_name(name: &str) -> bool {
    if name.starts_with(['$', '{']) {
        return true;
    }
    let rest = name.strip_prefix("cu").or_else(|| name.strip_prefix("nvml"));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: [&str; 21] = [
        "/// Counts.",
        "#[inline]",
        "pub fn a() {}",
        "#[doc(hidden,",
        "inline)]",
        "pub(crate) const fn b() {}",
        "pub struct C;",
        "fn d() {}",
        "pub unsafe extern \"C\" fn e() {}",
        "pub mod f;",
        "pub unsafe fn cuInit() {}",
        "pub fn $name() {}",
        "pub const G: u8 = 1;",
        "#[cfg(test)]",
        "use g::G;",
        "#[cfg(test)]",
        "mod h {",
        "    pub fn i() {}",
        "}",
        "pub type J = u8;",
        "pub field: u8,",
    ];

    fn lines(path: &str, text: &[&str]) -> Vec<usize> {
        places(path, &text.join("\n")).into_iter().map(|(number, _)| number).collect()
    }

    #[test]
    fn undocumented_items_are_found() {
        assert_eq!(lines("crates/x/src/y.rs", &TEXT), [6, 7, 9, 13, 20]);
        assert!(lines("crates/x/tests/y.rs", &TEXT).is_empty());
    }

    #[test]
    fn modules_that_allow_it_are_left_out() {
        let text =
            ["#[allow(missing_docs)]", "pub mod a {", "    pub fn b() {}", "}", "pub fn c() {}"];
        assert_eq!(lines("x.rs", &text), [5]);
    }
}
