//! Parses the command line.

use crate::features::{FEATURES, Features, UNDOCUMENTED};
use std::path::PathBuf;
use std::time::Duration;

/// Returns the help text.
pub fn usage() -> String {
    let features: Vec<String> =
        FEATURES.iter().map(|(name, what)| format!("  {name:<22} {what}")).collect();
    format!(
        "\
usage: random-programs LIBCUDA [--programs N] [--seconds N] [--seed S] [--jobs J] [--without \
FEATURE[,FEATURE...]]
                       [--findings DIR] [--no-shrink] [--on-hang COMMAND]
       random-programs LIBCUDA --replay FILE|SEED [--times N] [--shrink] [--without ...]
       random-programs --print FILE|SEED [--without ...]
       random-programs relay --to HOST:PORT [--listen HOST:PORT] [--delay-us N] [--cut-bytes N] \
       [--seed S]

Runs random programs of CUDA driver calls on LIBCUDA and compares every value that CUDA promises. \
The exit code is 1 if something differed.
--seed is the seed of the first program; the others follow. Programs that fail are shrunk and \
written to DIR (target/random-programs).
A shell runs COMMAND when a program does not end in time, before the program is killed; \
HANGING_PID is its process.
relay delays the data of each connection to a node by up to N us (400), so that lanes overtake \
each other.
With --cut-bytes it breaks each connection after up to N bytes, so that sessions must continue \
over others.

Features, which a seed's program depends on. Those that CUDA does not document are left out \
without --with FEATURE: {}.
{}",
        UNDOCUMENTED.join(", "),
        features.join("\n")
    )
}

/// Default number of programs.
const PROGRAMS: u64 = 100;

/// Where to find the program to replay.
pub enum Source {
    File(PathBuf),
    Seed(u64),
}

/// The options of a campaign.
pub struct Campaign {
    /// Path of the driver library.
    pub library: PathBuf,
    /// Maximum number of programs.
    pub programs: u64,
    /// Maximum duration of the campaign.
    pub time: Option<Duration>,
    /// Seed of the first program.
    pub seed: u64,
    /// Maximum number of programs that run concurrently.
    pub jobs: usize,
    /// Features that the programs may use.
    pub features: Features,
    /// Folder for failed programs.
    pub findings: PathBuf,
    /// Whether to shrink failed programs.
    pub shrink: bool,
    /// Shell command to run when a program hangs.
    pub on_hang: Option<String>,
    /// Program to replay instead of generating new ones.
    pub replay: Option<Source>,
    /// Number of times to replay the program.
    pub times: usize,
}

/// The options for a relay.
pub struct Relay {
    /// Address of the node to which the relay connects.
    pub to: String,
    /// Address on which the relay listens.
    pub listen: String,
    /// Maximum delay of a piece, in microseconds.
    pub delay_us: u64,
    /// Upper bound on the bytes until a connection breaks. 0 breaks no connection.
    pub cut_bytes: u64,
    /// Seed for delays and breaks.
    pub seed: u64,
}

/// The task that the command line requests.
pub enum Task {
    Campaign(Campaign),
    Print(Source, Features),
    Relay(Relay),
    /// Runs programs for a campaign, as its child process.
    Child {
        library: PathBuf,
        features: Features,
    },
}

/// The words of the command line, with functions that parse them.
struct Words {
    words: std::vec::IntoIter<String>,
}

impl Words {
    fn value(&mut self, option: &str) -> Result<String, String> {
        self.words.next().ok_or_else(|| format!("{option} needs a value"))
    }

    fn number<T: std::str::FromStr>(&mut self, option: &str) -> Result<T, String> {
        let value = self.value(option)?;
        value.parse().map_err(|_| format!("{option}: `{value}` is not a valid number"))
    }

    fn source(&mut self, option: &str) -> Result<Source, String> {
        let value = self.value(option)?;
        Ok(value.parse().map_or_else(|_| Source::File(value.into()), Source::Seed))
    }
}

/// Parses the command line.
pub fn parse(words: Vec<String>) -> Result<Task, String> {
    let mut words = Words { words: words.into_iter() };
    if words.words.as_slice().first().is_some_and(|word| word == "relay") {
        words.words.next();
        return relay(words).map(Task::Relay);
    }
    let (mut library, mut print, mut is_child) = (None, None, false);
    let (mut with, mut without) = (String::new(), String::new());
    let mut campaign = Campaign {
        library: PathBuf::new(),
        programs: PROGRAMS,
        time: None,
        seed: 1,
        jobs: 1,
        features: Features::choose("", "")?,
        findings: "target/random-programs".into(),
        shrink: true,
        on_hang: None,
        replay: None,
        times: 1,
    };
    let (mut asked_to_shrink, mut programs) = (false, None);
    while let Some(word) = words.words.next() {
        match word.as_str() {
            "--programs" => programs = Some(words.number(&word)?),
            "--seconds" => campaign.time = Some(Duration::from_secs(words.number(&word)?)),
            "--seed" => campaign.seed = words.number(&word)?,
            "--jobs" => campaign.jobs = words.number::<usize>(&word)?.max(1),
            "--with" => with = words.value(&word)?,
            "--without" => without = words.value(&word)?,
            "--findings" => campaign.findings = words.value(&word)?.into(),
            "--replay" => campaign.replay = Some(words.source(&word)?),
            "--times" => campaign.times = words.number(&word)?,
            "--shrink" => asked_to_shrink = true,
            "--no-shrink" => campaign.shrink = false,
            "--on-hang" => campaign.on_hang = Some(words.value(&word)?),
            "--print" => print = Some(words.source(&word)?),
            "--child" => is_child = true,
            option if option.starts_with('-') => {
                return Err(format!("unknown option {option}"));
            }
            path if library.is_none() => library = Some(PathBuf::from(path)),
            other => return Err(format!("unexpected word `{other}`")),
        }
    }
    campaign.features = Features::choose(&with, &without)?;
    campaign.programs =
        programs.unwrap_or(if campaign.time.is_some() { u64::MAX } else { PROGRAMS });
    if let Some(source) = print {
        return Ok(Task::Print(source, campaign.features));
    }
    campaign.library = library.ok_or("the path of a libcuda.so.1 is missing")?;
    if is_child {
        return Ok(Task::Child { library: campaign.library, features: campaign.features });
    }
    campaign.shrink = if campaign.replay.is_some() { asked_to_shrink } else { campaign.shrink };
    Ok(Task::Campaign(campaign))
}

fn relay(mut words: Words) -> Result<Relay, String> {
    let mut relay = Relay {
        to: String::new(),
        listen: "127.0.0.1:0".to_owned(),
        delay_us: 400,
        cut_bytes: 0,
        seed: 1,
    };
    while let Some(word) = words.words.next() {
        match word.as_str() {
            "--to" => relay.to = words.value(&word)?,
            "--listen" => relay.listen = words.value(&word)?,
            "--delay-us" => relay.delay_us = words.number(&word)?,
            "--cut-bytes" => relay.cut_bytes = words.number(&word)?,
            "--seed" => relay.seed = words.number(&word)?,
            other => return Err(format!("unknown option {other} of relay")),
        }
    }
    if relay.to.is_empty() { Err("relay needs --to HOST:PORT".to_owned()) } else { Ok(relay) }
}
