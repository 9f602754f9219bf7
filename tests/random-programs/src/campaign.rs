//! Runs many programs, several at a time. Runs each failed program again, shrinks it, and writes it
//! to a file.

use crate::arguments::{Campaign, Source};
use crate::child::{Answer, Asked, Runner, load};
use crate::generate::{alike, generate};
use crate::program::Program;
use crate::shrink::shrink;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// Maximum duration of a program. A normal program takes a few hundredths of a second.
const LIMIT: Duration = Duration::from_secs(20);
const LIMIT_SHRINKING: Duration = Duration::from_secs(6);
const SHRINKING: Duration = Duration::from_secs(90);
/// Number of times to repeat a failed program, and each smaller version, because some programs fail
/// only occasionally.
const AGAIN: usize = 12;
/// Maximum number of findings in a campaign.
const FINDINGS_MAX: usize = 5;

/// Runs a campaign.
pub fn run(campaign: &Campaign) -> ExitCode {
    let outcome = match &campaign.replay {
        Some(source) => replay(campaign, source),
        None => explore(campaign),
    };
    match outcome {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("random-programs: {why}");
            ExitCode::from(2)
        }
    }
}

/// Runs random programs and returns the number of findings.
fn explore(campaign: &Campaign) -> Result<usize, String> {
    let (next, ran, findings) = (AtomicU64::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let (start, broken) = (Instant::now(), Mutex::new(None));
    let is_over = || {
        campaign.time.is_some_and(|time| start.elapsed() >= time)
            || findings.load(SeqCst) >= FINDINGS_MAX
            || broken.lock().expect("no holder panics").is_some()
    };
    let work = || -> Result<(), String> {
        let mut runner = Runner::new(campaign);
        let mut before: Vec<u64> = Vec::new();
        while !is_over() {
            let number = next.fetch_add(1, SeqCst);
            if number >= campaign.programs {
                break;
            }
            let seed = campaign.seed.wrapping_add(number);
            if before.last().is_some_and(|last| !alike(&campaign.features, *last, seed)) {
                runner.restart();
                before.clear();
            }
            let answer = runner.ask(&Asked::Seed(seed), LIMIT)?;
            let count = ran.fetch_add(1, SeqCst) + 1;
            match answer {
                Answer::Ok => before.push(seed),
                Answer::Failed(why) => {
                    findings.fetch_add(1, SeqCst);
                    println!(
                        "FAILED   seed {seed} (program {count}, the {}. of its process): {why}",
                        before.len() + 1
                    );
                    let (program, _) = generate(seed, &campaign.features);
                    investigate(campaign, &mut runner, &format!("seed-{seed}"), &program, &why)?;
                    before.clear();
                }
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        for _ in 0..campaign.jobs {
            scope.spawn(|| {
                if let Err(why) = work() {
                    broken.lock().expect("no holder panics").get_or_insert(why);
                }
            });
        }
    });
    let (ran, findings, seconds) =
        (ran.load(SeqCst), findings.load(SeqCst), start.elapsed().as_secs_f64());
    println!("{ran} programs, {findings} findings, {seconds:.1} s");
    match broken.into_inner().expect("no holder panicked") {
        Some(why) => Err(why),
        None => Ok(findings),
    }
}

/// Runs one program repeatedly. If it fails, shrinks it on request. Returns the number of failures.
fn replay(campaign: &Campaign, source: &Source) -> Result<usize, String> {
    let (program, name) = match source {
        Source::File(path) => {
            let stem = path
                .file_stem()
                .map(|stem| stem.to_string_lossy().into_owned())
                .unwrap_or_default();
            (load(path)?.0, format!("{stem}-again"))
        }
        Source::Seed(seed) => (generate(*seed, &campaign.features).0, format!("seed-{seed}")),
    };
    let mut runner = Runner::new(campaign);
    let file = store(campaign, &format!("{name}.running"), &program, "")?;
    let (mut failed, mut first) = (0, None);
    for time in 0..campaign.times {
        if let Answer::Failed(why) = runner.ask(&Asked::File(file.clone()), LIMIT)? {
            println!("FAILED   time {time}: {why}");
            failed += 1;
            first.get_or_insert(why);
        }
    }
    let _ = std::fs::remove_file(&file);
    println!("failed {failed} of {} times", campaign.times);
    if let Some(why) = first.filter(|_| campaign.shrink) {
        investigate(campaign, &mut runner, &name, &program, &why)?;
    }
    Ok(failed)
}

fn store(
    campaign: &Campaign,
    name: &str,
    program: &Program,
    remark: &str,
) -> Result<PathBuf, String> {
    let path = campaign.findings.join(format!("{name}.txt"));
    let write = || -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(&campaign.findings)?;
        std::fs::write(&path, format!("{remark}{program}"))?;
        std::fs::canonicalize(&path)
    };
    write().map_err(|e| format!("{}: {e}", path.display()))
}

/// Runs the program again in separate processes. If it fails there, shrinks it.
fn investigate(
    campaign: &Campaign,
    runner: &mut Runner,
    name: &str,
    program: &Program,
    why: &str,
) -> Result<(), String> {
    let remark = format!("# {why}\n# on {} with {:?}\n", campaign.library.display(), transport());
    let file = store(campaign, name, program, &remark)?;
    let limit = if why.starts_with("hangs") { LIMIT_SHRINKING } else { LIMIT };
    let mut failed = 0;
    for _ in 0..AGAIN {
        runner.restart();
        if let Answer::Failed(_) = runner.ask(&Asked::File(file.clone()), limit)? {
            failed += 1;
        }
    }
    println!(
        "         fails {failed} of {AGAIN} times in a process of its own: --replay {}",
        file.display()
    );
    if failed == 0 || !campaign.shrink {
        return Ok(());
    }
    // The number of runs after which a real failure recurs with a probability of 90%.
    let times = (2.3 * AGAIN as f64 / failed as f64).ceil().clamp(1.0, 4.0 * AGAIN as f64) as usize;
    let candidate = campaign.findings.join(format!("{name}.candidate.txt"));
    let mut last = why.to_owned();
    let smallest = shrink(program, Instant::now() + SHRINKING, |smaller| {
        fails(runner, campaign, &candidate, smaller, times, limit)
            .inspect(|why| last.clone_from(why))
            .is_some()
    });
    let _ = std::fs::remove_file(&candidate);
    let remark = format!(
        "# {last}\n# on {} with {:?}; shrunk from {name}\n",
        campaign.library.display(),
        transport()
    );
    let file = store(campaign, &format!("{name}.small"), &smallest, &remark)?;
    println!(
        "         shrunk from {} operations to {}: --replay {}",
        program.ops.len(),
        smallest.ops.len(),
        file.display()
    );
    Ok(())
}

fn fails(
    runner: &mut Runner,
    campaign: &Campaign,
    path: &Path,
    program: &Program,
    times: usize,
    limit: Duration,
) -> Option<String> {
    let name = path.file_stem()?.to_string_lossy();
    let file = store(campaign, &name, program, "").ok()?;
    for _ in 0..times {
        match runner.ask(&Asked::File(file.clone()), limit) {
            Ok(Answer::Failed(why)) => return Some(why),
            Ok(Answer::Ok) => {}
            Err(_) => return None,
        }
    }
    None
}

/// Returns the environment variables that describe the connection to the GPU.
fn transport() -> Vec<String> {
    ["OUTHAUL_NODE", "OUTHAUL_TRANSPORT", "OUTHAUL_LANES"]
        .iter()
        .filter_map(|name| std::env::var(name).ok().map(|value| format!("{name}={value}")))
        .collect()
}
