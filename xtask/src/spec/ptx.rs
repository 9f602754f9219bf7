//! Parses spec/ptx.txt into a model: sections of instructions, each with its forms. The first lines
//! of spec/ptx.txt explain the syntax.

use std::collections::BTreeMap;

/// A section of the file, which becomes a section of docs/instructions.md.
pub struct Section {
    pub title: String,
    pub forms: Vec<Form>,
}

/// A form of an instruction.
pub struct Form {
    pub name: String,
    pub choices: Vec<Choice>,
    /// The permitted types for each type suffix.
    pub types: Vec<Vec<String>>,
    pub hints: bool,
    pub open: bool,
    pub operands: Vec<Operand>,
    pub open_operands: bool,
    pub waits: bool,
}

/// A suffix that is one of several words.
pub struct Choice {
    pub required: bool,
    pub words: Vec<String>,
}

/// An operand of a form.
pub struct Operand {
    pub of: Of,
    pub beside: Beside,
    pub written: bool,
    pub optional: bool,
}

/// The kind of an operand.
pub enum Of {
    Type(usize),
    Wide(usize),
    Fixed(String),
    Number,
    Address,
    Label,
    List,
    Any,
}

/// A predicate that the instruction writes in addition to the result, after a bar.
pub enum Beside {
    Nothing,
    Maybe,
    Predicate,
}

const TYPES: [&str; 20] = [
    "pred", "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32",
    "s64", "f16", "f32", "f64", "bf16", "f16x2", "bf16x2",
];

type Names = BTreeMap<String, Vec<String>>;

/// Parses the file's text. Fails with the invalid line.
pub fn parse(text: &str) -> Result<Vec<Section>, String> {
    let mut names = Names::new();
    let mut sections: Vec<Section> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let at = |message: String| format!("spec/ptx.txt:{}: {message}", index + 1);
        if let Some(title) = line.strip_prefix("## ") {
            sections.push(Section { title: title.to_owned(), forms: Vec::new() });
        } else if line.starts_with('#') || line.trim().is_empty() {
        } else if let Some((name, words)) = line.split_once(" = ") {
            names.insert(name.to_owned(), alternatives(words, &names));
        } else {
            let section =
                sections.last_mut().ok_or_else(|| at("a form before the first section".into()))?;
            section.forms.push(form(line, &names).map_err(at)?);
        }
    }
    Ok(sections)
}

/// Parses `a|b|NAME`. Replaces each name with the words in its definition.
fn alternatives(text: &str, names: &Names) -> Vec<String> {
    let all = text
        .split('|')
        .flat_map(|word| names.get(word).cloned().unwrap_or_else(|| vec![word.to_owned()]));
    all.collect()
}

fn form(line: &str, names: &Names) -> Result<Form, String> {
    let (head, rest) =
        line.split_once(" :").ok_or("no `:`; write it even if there are no operands")?;
    let (operands, waits) =
        rest.split_once(" :").map_or((rest, ""), |(operands, waits)| (operands, waits.trim()));
    if !matches!(waits, "" | "waits") {
        return Err(format!("{waits} is not `waits`, the only word allowed here"));
    }
    let mut words = head.split_whitespace();
    let name = words.next().ok_or("no name")?.to_owned();
    let mut form = Form {
        name,
        choices: Vec::new(),
        types: Vec::new(),
        hints: false,
        open: false,
        operands: Vec::new(),
        open_operands: false,
        waits: waits == "waits",
    };
    for word in words {
        match word.strip_prefix('.') {
            _ if word == "..." => form.open = true,
            _ if word == "hints" => form.hints = true,
            Some(types) => form.types.push(types_of(types, names)?),
            None => {
                let (required, words) =
                    word.strip_prefix('!').map_or((false, word), |words| (true, words));
                form.choices.push(Choice { required, words: alternatives(words, names) });
            }
        }
    }
    for word in operands.split_whitespace() {
        if word == "..." {
            form.open_operands = true;
        } else {
            form.operands.push(operand(word, form.types.len())?);
        }
    }
    if form.operands.iter().skip(1).any(|operand| operand.written) {
        return Err(
            "only the first operand may be written; a second result comes after a bar".into()
        );
    }
    Ok(form)
}

fn types_of(text: &str, names: &Names) -> Result<Vec<String>, String> {
    let all = alternatives(text, names);
    match all.iter().find(|ty| !is_type(ty)) {
        Some(unknown) => Err(format!("{unknown} is not a type")),
        None => Ok(all),
    }
}

fn is_type(word: &str) -> bool {
    TYPES.contains(&word)
}

fn operand(word: &str, types: usize) -> Result<Operand, String> {
    let (word, written) = word.strip_prefix('=').map_or((word, false), |word| (word, true));
    let (word, beside, optional) = if let Some(word) = word.strip_suffix("|pred?") {
        (word, Beside::Maybe, false)
    } else if let Some(word) = word.strip_suffix("|pred") {
        (word, Beside::Predicate, false)
    } else {
        let (word, optional) = word.strip_suffix('?').map_or((word, false), |word| (word, true));
        (word, Beside::Nothing, optional)
    };
    let position = |text: &str| text.parse::<usize>().ok().filter(|index| *index < types);
    let of = match word {
        "#" => Of::Number,
        "[]" => Of::Address,
        "label" => Of::Label,
        "list" => Of::List,
        "any" => Of::Any,
        _ if is_type(word) => Of::Fixed(word.to_owned()),
        _ => match (position(word), word.strip_suffix('w').and_then(position)) {
            (Some(index), _) => Of::Type(index),
            (_, Some(index)) => Of::Wide(index),
            _ => return Err(format!("{word} is not an operand")),
        },
    };
    Ok(Operand { of, beside, written, optional })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_has_choices_types_and_operands() {
        let text = "## Here\nROUND = rn|rz\nfma !ROUND ftz .f32|f64 : =0 0 0 0w?\nshfl !sync .b32 \
        : =0|pred? 0 : waits\n";
        let sections = parse(text).unwrap();
        let [fma, shuffle] = &sections[0].forms[..] else { panic!("two forms") };
        assert_eq!(
            (fma.name.as_str(), fma.types[0].len(), fma.operands.len(), fma.waits),
            ("fma", 2, 4, false)
        );
        assert!(
            fma.choices[0].required
                && fma.choices[0].words == ["rn", "rz"]
                && !fma.choices[1].required
        );
        assert!(
            fma.operands[0].written
                && fma.operands[3].optional
                && matches!(fma.operands[3].of, Of::Wide(0))
        );
        assert!(shuffle.waits && matches!(shuffle.operands[0].beside, Beside::Maybe));
    }

    #[test]
    fn errors_name_the_line() {
        for (text, message) in [
            ("add .s32 : =0", "spec/ptx.txt:1: a form before the first section"),
            ("## A\nadd .s33 : =0", "spec/ptx.txt:2: s33 is not a type"),
            ("## A\nadd .s32 : =0 1", "spec/ptx.txt:2: 1 is not an operand"),
            (
                "## A\nadd .s32 : =0 =0",
                "spec/ptx.txt:2: only the first operand may be written; a second result comes \
                after a bar",
            ),
        ] {
            assert_eq!(parse(text).err().as_deref(), Some(message));
        }
    }
}
