//! Checks the prose of comments, the words in identifiers, and that public items have a comment, in
//! Rust code. Each rule has a budget in `words.txt`: the current number of violations, which may
//! only shrink.
//!
//! Deliberately absent: spelling, grammar, and strings, because tests compare strings with
//! documents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::checks::undocumented;

const BUDGETS: &str = "xtask/words.txt";
const SENTENCE_WORDS_MAX: usize = 25;
/// Folders whose Rust files the check reads.
const CODE: [&str; 5] = ["crates", "python", "spec", "tests", "xtask"];
/// Words with which no sentence may begin, because they open a clause instead of naming the actor.
const OPENINGS: [&str; 5] = ["What", "Who", "Whoever", "Whatever", "That which"];
/// Idioms, mostly of position. They say nothing about order in a program.
const IDIOMS: [&str; 6] = ["stands", "goes on", "beside", "lies", "on its way", "is no"];
/// Plain phrases that contain one of the idioms.
const PLAIN: [&str; 3] = ["here is no", "is no longer", "is no more than"];
/// Name of the rule that public items have a doc comment.
const UNDOCUMENTED: &str = "undocumented";
/// Private words of this project, as parts of identifiers. Engineers have another word for each.
const PRIVATE: [&str; 15] = [
    "look", "twin", "settle", "standing", "crossing", "parcel", "heard", "told", "begun", "doubt",
    "vouch", "tenure", "wish", "passport", "card",
];

/// The violations of each rule, as "file:line: words".
type Places = BTreeMap<String, Vec<String>>;

/// Compares the number of violations of each rule with its budget.
pub fn check(root: &Path) -> Result<(), String> {
    let found = read(root)?;
    let budgets = budgets(root)?;
    let mut faults = Vec::new();
    for (rule, places) in &found {
        let count = places.len();
        let Some(budget) = budgets.get(rule).copied() else {
            faults.push(format!("{rule}: {count} places, and no number in words.txt"));
            continue;
        };
        if count > budget {
            faults.push(format!("{rule}: {count} places, {budget} are known"));
        } else if count < budget {
            faults.push(format!("{rule}: only {count} places are left; record that (--record)"));
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(format!("{}\n`cargo xtask words RULE` lists the places", faults.join("\n")))
}

/// Writes the current numbers into `words.txt`. Fails if a number has grown.
pub fn record(root: &Path) -> Result<(), String> {
    let (found, budgets) = (read(root)?, budgets(root)?);
    for (rule, places) in &found {
        if let Some(budget) = budgets.get(rule).filter(|budget| places.len() > **budget) {
            return Err(format!("{rule}: {} places, and {budget} are known", places.len()));
        }
    }
    let lines: String =
        found.iter().map(|(rule, places)| format!("{rule} {}\n", places.len())).collect();
    let head = "# Number of places that break each rule of xtask/src/checks/words.rs. It may only\n\
                # shrink; `cargo xtask words --record` writes this file.\n";
    std::fs::write(root.join(BUDGETS), head.to_owned() + &lines)
        .map_err(|e| format!("{BUDGETS}: {e}"))
}

/// Prints the violations of one rule, or the number of violations of each rule.
pub fn show(root: &Path, wanted: Option<&str>) -> Result<(), String> {
    for (rule, places) in read(root)? {
        match wanted {
            None => println!("{rule} {}", places.len()),
            Some(wanted) if wanted == rule => places.iter().for_each(|place| println!("{place}")),
            Some(_) => {}
        }
    }
    Ok(())
}

/// Reads lines of the form "RULE COUNT".
fn budgets(root: &Path) -> Result<BTreeMap<String, usize>, String> {
    let text =
        std::fs::read_to_string(root.join(BUDGETS)).map_err(|e| format!("{BUDGETS}: {e}"))?;
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let budget = |line: &str| {
        let (rule, count) = line.rsplit_once(' ')?;
        Some((rule.to_owned(), count.parse().ok()?))
    };
    lines.map(|line| budget(line).ok_or_else(|| format!("words.txt: '{line}'?"))).collect()
}

fn read(root: &Path) -> Result<Places, String> {
    let mut places = Places::new();
    for rule in rules() {
        places.insert(rule, Vec::new());
    }
    for folder in CODE {
        walk(&root.join(folder), &mut |path, text| {
            if path.ends_with("xtask/src/checks/words.rs") {
                return; // The file contains the words as data.
            }
            let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
            let (comments, code) = split(text);
            judge_prose(&name, &comments, &mut places);
            judge_identifiers(&name, &code, &mut places);
            for (number, line) in undocumented::places(&name, text) {
                let place = format!("{name}:{number}: {line}");
                places.entry(UNDOCUMENTED.to_owned()).or_default().push(place);
            }
        })
        .map_err(|e| format!("{folder}: {e}"))?;
    }
    Ok(places)
}

fn rules() -> Vec<String> {
    let private = PRIVATE.iter().map(|word| format!("identifier {word}"));
    let idioms = IDIOMS.iter().map(|idiom| format!("idiom {idiom}"));
    let own = ["long sentence", "opening", UNDOCUMENTED].map(str::to_owned);
    own.into_iter().chain(idioms).chain(private).collect()
}

fn walk(folder: &Path, visit: &mut impl FnMut(&Path, &str)) -> std::io::Result<()> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if path.is_dir() {
            if stem != "generated" && stem != "target" {
                walk(&path, visit)?;
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            visit(&path, &std::fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

/// Parts of a file, with the number of their first line.
type Numbered<W> = Vec<(usize, W)>;

/// Splits a file into comment paragraphs and lines of code without comments.
fn split(text: &str) -> (Numbered<String>, Numbered<&str>) {
    let (mut comments, mut code) = (Vec::new(), Vec::new());
    let mut open: Option<(usize, String)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim_start();
        let words =
            trimmed.strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']).trim());
        match words {
            Some("") => comments.extend(open.take()),
            Some(words) => match &mut open {
                Some((_, paragraph)) => {
                    paragraph.push(' ');
                    paragraph.push_str(words);
                }
                None => open = Some((number, words.to_owned())),
            },
            None => {
                comments.extend(open.take());
                code.push((number, line));
            }
        }
    }
    comments.extend(open);
    (comments, code)
}

fn judge_prose(name: &str, paragraphs: &[(usize, String)], places: &mut Places) {
    let mut note = |rule: String, number: usize, words: &str| {
        places.entry(rule).or_default().push(format!("{name}:{number}: {words}"));
    };
    for (number, paragraph) in paragraphs {
        for sentence in sentences(paragraph) {
            if sentence.split_whitespace().count() > SENTENCE_WORDS_MAX {
                note("long sentence".into(), *number, &sentence);
            }
            let opens = |opening: &&str| {
                sentence.strip_prefix(*opening).is_some_and(|rest| rest.starts_with(' '))
            };
            if OPENINGS.iter().any(opens) {
                note("opening".into(), *number, &sentence);
            }
            let judged = PLAIN.iter().fold(sentence.clone(), |rest, plain| rest.replace(plain, ""));
            for idiom in IDIOMS {
                if contains_word(&judged, idiom) {
                    note(format!("idiom {idiom}"), *number, &sentence);
                }
            }
        }
    }
}

/// Splits a paragraph at full stops. Code in backticks counts as one word.
fn sentences(paragraph: &str) -> Vec<String> {
    let mut plain = String::new();
    for (index, part) in paragraph.split('`').enumerate() {
        plain.push_str(if index % 2 == 0 { part } else { "code" });
    }
    let ends = [". ", ".) ", "? ", "! ", ": "];
    let mut rest = plain.as_str();
    let mut found = Vec::new();
    while let Some((at, end)) =
        ends.iter().filter_map(|end| Some((rest.find(end)?, end.len()))).min()
    {
        found.push(rest[..at].trim().to_owned());
        rest = &rest[at + end..];
    }
    found.push(rest.trim().to_owned());
    found
}

fn contains_word(sentence: &str, word: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    sentence.match_indices(word).any(|(at, _)| {
        !is_letter(sentence[..at].chars().next_back())
            && !is_letter(sentence[at + word.len()..].chars().next())
    })
}

fn judge_identifiers(name: &str, code: &[(usize, &str)], places: &mut Places) {
    for (number, line) in code {
        let identifiers = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        for identifier in
            identifiers.filter(|name| !name.is_empty() && !name.starts_with("OUTHAUL_"))
        {
            let parts = parts(identifier);
            for word in PRIVATE {
                let is_it = |part: &String| part == word || part.strip_suffix('s') == Some(word);
                if parts.iter().any(is_it) {
                    let place = format!("{name}:{number}: {identifier}");
                    places.entry(format!("identifier {word}")).or_default().push(place);
                }
            }
        }
    }
}

/// Splits an identifier at underscores and capitals, and converts the parts to lower case.
fn parts(identifier: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_lower = false;
    for c in identifier.chars() {
        if c == '_' || c.is_uppercase() && was_lower {
            parts.push(String::new());
        }
        if c != '_' {
            parts.last_mut().expect("one at least").extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_prose_are_found() {
        let long = "a ".repeat(26);
        let text =
            format!("//! {long}.\n//! What it is.\n//! It stands `goes on` here.\nfn f() {{}}");
        let (comments, code) = split(&text);
        assert_eq!((comments.len(), code.len()), (1, 1));
        let mut places = Places::new();
        judge_prose("file", &comments, &mut places);
        let rules: Vec<&str> = places.keys().map(String::as_str).collect();
        assert_eq!(rules, ["idiom stands", "long sentence", "opening"]);
    }

    #[test]
    fn words_of_identifiers_are_found() {
        assert_eq!(parts("HostTwins_2"), ["host", "twins", "2"]);
        let mut places = Places::new();
        judge_identifiers("file", &[(1, "let x = LookAside::of(outlook);")], &mut places);
        assert_eq!(places["identifier look"], ["file:1: LookAside"]);
    }
}
