//! Reads the energy counters of the node's GPUs. The listener calls no driver, so a separate
//! process asks NVML once a second and prints the counters, line by line.

use super::{Meter, Source};
use outhaul_abi::nvml::{Nvml, nvmlDevice_t};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_secs(1);
/// Number of samples after which the node restarts an NVML process that has ended, if any GPU has
/// counters.
const SAMPLES_UNTIL_RESTART: u64 = 10;

/// Prints the energy counters of `gpus` every second, in millijoules by UUID. Returns if NVML has
/// no counters, or when the reader has ended.
pub fn print(gpus: &[String]) {
    let Some((nvml, boards)) = open(gpus) else { return };
    let mut out = std::io::stdout();
    loop {
        let start = Instant::now();
        let counters: BTreeMap<&String, u64> = boards
            .iter()
            .filter_map(|(uuid, board)| Some((uuid, counter(&nvml, *board)?)))
            .collect();
        if counters.is_empty() {
            // NVML has lost all GPUs. The listener later restarts this process.
            return;
        }
        let line = serde_json::to_string(&counters).unwrap_or_default();
        // An error means that the reader has ended.
        if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
            return;
        }
        std::thread::sleep(EVERY.saturating_sub(start.elapsed()));
    }
}

/// Opens NVML, and the requested GPUs that have an energy counter.
fn open(gpus: &[String]) -> Option<(Nvml, Vec<(String, nvmlDevice_t)>)> {
    let nvml = Nvml::open(Path::new("libnvidia-ml.so.1")).ok()?;
    // SAFETY: takes no pointers.
    unsafe { nvml.nvmlInit_v2() }.ok().ok()?;
    let find = |uuid: &String| {
        let (text, mut board) = (CString::new(uuid.as_str()).ok()?, nvmlDevice_t::default());
        // SAFETY: the text ends with a zero, and the out-pointer refers to a local.
        unsafe { nvml.nvmlDeviceGetHandleByUUID(text.as_ptr(), &mut board) }.ok().ok()?;
        counter(&nvml, board).map(|_| (uuid.clone(), board))
    };
    let boards: Vec<_> = gpus.iter().filter_map(find).collect();
    if boards.is_empty() { None } else { Some((nvml, boards)) }
}

fn counter(nvml: &Nvml, board: nvmlDevice_t) -> Option<u64> {
    let mut mj = 0;
    // SAFETY: NVML returned the device, and the out-pointer refers to a local.
    unsafe { nvml.nvmlDeviceGetTotalEnergyConsumption(board, &mut mj) }.ok().ok().map(|()| mj)
}

/// Books the GPUs' use as long as the node lives, and never returns. Software GPUs have no
/// counters.
pub fn book(meter: &Meter, uuids: &[String], are_software: bool) {
    let begin = |source: &dyn Fn(&String) -> Source| {
        meter.begin(uuids.iter().map(|uuid| (uuid.clone(), source(uuid))))
    };
    if are_software {
        begin(&|_| Source::Synthetic);
    } else {
        let mut has_started = false;
        read_counters(uuids, |counters| {
            if !std::mem::replace(&mut has_started, true) {
                begin(&|uuid| {
                    if counters.contains_key(uuid) { Source::Board } else { Source::None }
                });
            }
            meter.sample(counters);
        });
        if !has_started {
            begin(&|_| Source::None);
        }
    }
    // Without counters, the node still knows how busy its GPUs are.
    for samples in 1u64.. {
        meter.sample(&BTreeMap::new());
        std::thread::sleep(EVERY);
        if meter.has_boards() && samples.is_multiple_of(SAMPLES_UNTIL_RESTART) {
            read_counters(uuids, |counters| meter.sample(counters));
        }
    }
}

/// Starts the NVML process, and calls `handle` with each line of counters until that process ends.
fn read_counters(gpus: &[String], mut handle: impl FnMut(&BTreeMap<String, u64>)) {
    let started = std::env::current_exe().and_then(|outhaul| {
        Command::new(outhaul)
            .arg("energy-counters")
            .args(gpus)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
    });
    let Ok(mut child) = started else { return };
    let lines = child
        .stdout
        .take()
        .into_iter()
        .flat_map(|out| BufReader::new(out).lines())
        .map_while(Result::ok);
    lines.map_while(|line| serde_json::from_str(&line).ok()).for_each(|counters| handle(&counters));
    let _ = child.kill();
    let _ = child.wait();
}
