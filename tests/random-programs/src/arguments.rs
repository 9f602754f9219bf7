//! What the command line asks for.

use crate::features::{FEATURES, Features};
use std::path::PathBuf;
use std::time::Duration;

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
--seed is that of the first program; the others follow. Programs that fail are shrunk and written \
to DIR (target/random-programs).
COMMAND is run by a shell when a program does not end in time, before it is killed; HANGING_PID is \
its process.
relay delays what goes over each connection to a node by up to N us (400), so that lanes overtake \
each other.
With --cut-bytes it breaks each connection after up to N bytes, so that sessions have to go on by \
others.

Features, which a seed's program depends on:
{}",
        features.join("\n")
    )
}

/// When nothing is said.
const PROGRAMS: u64 = 100;

pub enum Source {
    File(PathBuf),
    Seed(u64),
}

pub struct Campaign {
    pub library: PathBuf,
    /// At most so many, and for no longer than `time`.
    pub programs: u64,
    pub time: Option<Duration>,
    pub seed: u64,
    pub jobs: usize,
    pub features: Features,
    pub findings: PathBuf,
    pub shrink: bool,
    pub on_hang: Option<String>,
    pub replay: Option<Source>,
    pub times: usize,
}

pub struct Relay {
    pub to: String,
    pub listen: String,
    pub delay_us: u64,
    /// 0: connections last.
    pub cut_bytes: u64,
    pub seed: u64,
}

pub enum Task {
    Campaign(Campaign),
    Print(Source, Features),
    Relay(Relay),
    /// The child that runs programs for a campaign.
    Child {
        library: PathBuf,
        features: Features,
    },
}

/// The words of the command line, and how they are taken apart.
struct Words {
    words: std::vec::IntoIter<String>,
}

impl Words {
    fn value(&mut self, option: &str) -> Result<String, String> {
        self.words.next().ok_or_else(|| format!("{option} needs a value"))
    }

    fn number<T: std::str::FromStr>(&mut self, option: &str) -> Result<T, String> {
        let value = self.value(option)?;
        value.parse().map_err(|_| format!("{option}: `{value}` is no number that fits"))
    }

    fn source(&mut self, option: &str) -> Result<Source, String> {
        let value = self.value(option)?;
        Ok(value.parse().map_or_else(|_| Source::File(value.into()), Source::Seed))
    }
}

pub fn parse(words: Vec<String>) -> Result<Task, String> {
    let mut words = Words { words: words.into_iter() };
    if words.words.as_slice().first().is_some_and(|word| word == "relay") {
        words.words.next();
        return relay(words).map(Task::Relay);
    }
    let (mut library, mut print, mut is_child, mut without) = (None, None, false, String::new());
    let mut campaign = Campaign {
        library: PathBuf::new(),
        programs: PROGRAMS,
        time: None,
        seed: 1,
        jobs: 1,
        features: Features::without(std::iter::empty())?,
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
                return Err(format!("there is no option {option}"));
            }
            path if library.is_none() => library = Some(PathBuf::from(path)),
            other => return Err(format!("`{other}` is one word too many")),
        }
    }
    campaign.features = Features::without(without.split(','))?;
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
            other => return Err(format!("there is no option {other} of relay")),
        }
    }
    if relay.to.is_empty() { Err("relay needs --to HOST:PORT".to_owned()) } else { Ok(relay) }
}
