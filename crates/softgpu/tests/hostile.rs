//! Damaged PTX: files of `tests/ptx`, changed at random from seeds. Parsing and compiling must end,
//! with code or with an error that has a position.

use std::path::PathBuf;
use std::sync::Arc;

use outhaul_softgpu::engine::Program;

const ROUNDS: u64 = 2000;
/// Maximum bytes of a file. Larger files would only make the rounds slower.
const TEXT_BYTES_MAX: usize = 40 << 10;

/// Pseudo-random numbers (Splitmix): the same numbers for the same seed, everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % below.max(1) as u64) as usize
    }
}

fn texts() -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/ptx");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    paths.sort();
    // The tables of expectations are comments.
    let code = |text: String| {
        text.lines()
            .filter(|line| !line.starts_with("//"))
            .fold(String::new(), |all, line| all + line + "\n")
    };
    let texts = paths.into_iter().map(|path| code(std::fs::read_to_string(path).unwrap()));
    texts.filter(|text| text.len() < TEXT_BYTES_MAX).collect()
}

/// Replaces, drops, doubles or swaps a few words, or turns a number into an extreme one.
fn damage(text: &str, other: &str, dice: &mut Dice) -> String {
    const EXTREMES: [&str; 8] = [
        "0",
        "-1",
        "4294967295",
        "18446744073709551615",
        "0x8000000000000000",
        "0f7FC00000",
        "99999999999999999999",
        "1024",
    ];
    let mut words: Vec<&str> =
        text.split_inclusive([' ', ',', ';', '.', '\n', '[', ']', '{', '}', '(', ')']).collect();
    let strangers: Vec<&str> = other.split_inclusive([' ', ',', ';', '.', '\n']).collect();
    for _ in 0..=dice.roll(4) {
        let at = dice.roll(words.len());
        match dice.roll(6) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[at]),
            2 => words[at] = strangers[dice.roll(strangers.len())],
            3 => words[at] = EXTREMES[dice.roll(EXTREMES.len())],
            4 => {
                let with = dice.roll(words.len());
                words.swap(at, with);
            }
            _ => words.truncate(at.max(1)),
        }
        if words.is_empty() {
            break;
        }
    }
    words.concat()
}

#[test]
fn damaged_text_is_compiled_or_refused() {
    // Panics of the code generator are caught and become errors. They need not be printed.
    std::panic::set_hook(Box::new(|_| {}));
    let texts = texts();
    let (mut compiled, mut refused) = (0, 0);
    for seed in 0..ROUNDS {
        let mut dice = Dice(seed);
        let (text, other) = (&texts[dice.roll(texts.len())], &texts[dice.roll(texts.len())]);
        let damaged = damage(text, other, &mut dice);
        let outcome = std::panic::catch_unwind(|| match Program::parse(&[&damaged]) {
            Ok(program) => Arc::new(program).kernels().try_for_each(|kernel| kernel.prepare()),
            Err(error) => Err(error),
        });
        match outcome {
            Ok(Ok(())) => compiled += 1,
            Ok(Err(_)) => refused += 1,
            Err(_) => panic!("seed {seed} makes the engine panic:\n{damaged}"),
        }
    }
    drop(std::panic::take_hook());
    assert!(
        compiled > ROUNDS / 20 && refused > ROUNDS / 4,
        "{compiled} compiled, {refused} refused: the damage is one-sided"
    );
}
