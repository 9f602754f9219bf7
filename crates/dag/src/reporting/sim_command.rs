//! The subcommand `outhaul sim dag`: parses flags, simulates, and returns a report and the
//! requested files as text. The command-line program prints the report and writes the files, so
//! this module has no I/O.

use crate::apps::{App, MB, Size};
use crate::bounds::{bounds, gemm_io_bytes};
use crate::error::Error;
use crate::exact;
use crate::graph::Graph;
use crate::machine::{Machine, Sharing};
use crate::policy::paper_policies::{Swap, Usage};
use crate::policy::{Policy, replay::Replay};
use crate::reporting::picture;
use crate::reporting::report::{Report, Row};
use crate::simulator::{Run, simulate};
use std::sync::Arc;

/// The text of `--help`, with the meaning of all flags.
pub const HELP: &str = "\
outhaul sim dag: simulate out-of-core scheduling of a graph on GPUs

  --app NAME            logistic, sort, blur, matmul, gemm, outer          [blur]
  --partitions N        input partitions; tiles a side for gemm and outer  [5]
  --iterations N                                                           [2]
  --partition-mb MB     size of a partition                                [256]
  --compute-ms MS       cost of a subtask                                  [40]
  --home PLACE          file or host: where inputs come from, results go   [file]
  --gpus N                                                                 [2]
  --memory-mb MB        memory per GPU                                     [1650]
  --link-mbps RATE      host to GPU and back, MB/s each                    [6377]
  --peer-mbps RATE      GPU to GPU, MB/s                                   [none]
  --sharing KIND        full, half (one wire per GPU), bus (one for all)   [full]
  --latency-us US       fixed cost of a transfer                           [0]
  --read-mbps RATE      reading files, MB/s                                [2482]
  --write-mbps RATE     writing files, MB/s                                [1680]
  --policy LIST         fifo,ptask,locality,victream,ours,best,worst       [all but best, worst]
  --ptask-wait-ms MS    how long ptask waits for a holder                  [50]
  --load-threshold F    victream, fraction of memory                       [0.66]
  --swap-threshold F    victream, fraction of memory                       [0.33]
  --load-rule RULE      what the load threshold counts: committed, taken   [committed]
  --swap-rule RULE      above the swap threshold: need, clean, out         [clean]
  --loading-max N       victream, subtasks loading at once per GPU         [2]
  --lookahead N         ours, subtasks loaded ahead per GPU                [16]
  --effort N            ours, subtasks simulated while planning            [40000]
  --seed N              ours                                               [1]
  --points-max N        best, points looked at                             [20000000]
  --schedules-max N     worst, schedules simulated                         [1000000]
  --csv PATH  --json PATH  --svg DIR    write the report, the pictures
";

/// A parsed request for a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    size: Size,
    machine: Machine,
    policies: Vec<String>,
    ptask_wait_ns: u64,
    claims: crate::policy::paper_policies::Tuning,
    ours: crate::policy::ours::Tuning,
    points_max: u64,
    schedules_max: u64,
    csv: Option<String>,
    json: Option<String>,
    svg: Option<String>,
}

/// Parses flags, simulates, and returns the report.
///
/// # Errors
/// `Usage` for an invalid flag, and the errors of the graph, the machine and the searches.
pub fn run<S: AsRef<str>>(args: &[S]) -> Result<Report, Error> {
    Request::parse(args)?.run()
}

impl Request {
    /// Parses `--flag value` pairs.
    ///
    /// # Errors
    /// `Usage`, with the flag's name.
    pub fn parse<S: AsRef<str>>(args: &[S]) -> Result<Request, Error> {
        let mut request = Request {
            size: Size {
                app: App::Blur,
                partitions: 5,
                iterations: 2,
                partition_bytes: 256 * MB,
                compute_ns: 40_000_000,
                files: true,
            },
            machine: Machine::victream(2),
            policies: ["fifo", "ptask", "locality", "victream", "ours"].map(String::from).to_vec(),
            ptask_wait_ns: Policy::PTASK_WAIT_NS,
            claims: crate::policy::paper_policies::Tuning::default(),
            ours: crate::policy::ours::Tuning::default(),
            points_max: 20_000_000,
            schedules_max: 1_000_000,
            csv: None,
            json: None,
            svg: None,
        };
        let mut args = args.iter().map(AsRef::as_ref);
        while let Some(flag) = args.next() {
            let value = args
                .next()
                .ok_or_else(|| Error::Usage(format!("{flag} needs a value\n\n{HELP}")))?;
            request.set(flag, value)?;
        }
        Ok(request)
    }

    fn set(&mut self, flag: &str, value: &str) -> Result<(), Error> {
        match flag {
            "--app" => self.size.app = value.parse()?,
            "--partitions" => self.size.partitions = number(flag, value)?,
            "--iterations" => self.size.iterations = number(flag, value)?,
            "--partition-mb" => self.size.partition_bytes = scaled(flag, value, MB as f64)?,
            "--compute-ms" => self.size.compute_ns = scaled(flag, value, 1e6)?,
            "--home" => self.size.files = one_of(flag, value, &[("file", true), ("host", false)])?,
            "--policy" => self.policies = value.split(',').map(String::from).collect(),
            "--ptask-wait-ms" => self.ptask_wait_ns = scaled(flag, value, 1e6)?,
            "--load-rule" => {
                self.claims.usage = one_of(
                    flag,
                    value,
                    &[("committed", Usage::Committed), ("taken", Usage::Taken)],
                )?
            }
            "--swap-rule" => {
                self.claims.swap = one_of(
                    flag,
                    value,
                    &[("need", Swap::AtNeed), ("clean", Swap::Clean), ("out", Swap::Out)],
                )?
            }
            "--loading-max" => self.claims.loading_max = number::<usize>(flag, value)?.max(1),
            "--lookahead" => self.ours.lookahead_max = number::<usize>(flag, value)?.max(1),
            "--effort" => self.ours.effort = number(flag, value)?,
            "--seed" => self.ours.seed = number(flag, value)?,
            "--points-max" => self.points_max = number(flag, value)?,
            "--schedules-max" => self.schedules_max = number(flag, value)?,
            "--csv" => self.csv = Some(value.into()),
            "--json" => self.json = Some(value.into()),
            "--svg" => self.svg = Some(value.into()),
            _ => return self.set_machine(flag, value),
        }
        Ok(())
    }

    fn set_machine(&mut self, flag: &str, value: &str) -> Result<(), Error> {
        let machine = &mut self.machine;
        match flag {
            "--gpus" => machine.gpus = number(flag, value)?,
            "--memory-mb" => machine.capacity_bytes = scaled(flag, value, MB as f64)?,
            "--link-mbps" => machine.link_bytes_per_s = 1e6 * number::<f64>(flag, value)?,
            "--peer-mbps" => machine.peer_bytes_per_s = Some(1e6 * number::<f64>(flag, value)?),
            "--latency-us" => machine.latency_ns = scaled(flag, value, 1e3)?,
            "--read-mbps" => machine.file_read_bytes_per_s = 1e6 * number::<f64>(flag, value)?,
            "--write-mbps" => machine.file_write_bytes_per_s = 1e6 * number::<f64>(flag, value)?,
            "--load-threshold" => machine.load_threshold = number(flag, value)?,
            "--swap-threshold" => machine.swap_threshold = number(flag, value)?,
            "--sharing" => {
                let kinds = [
                    ("full", Sharing::FullDuplex),
                    ("half", Sharing::HalfDuplex),
                    ("bus", Sharing::SharedBus),
                ];
                machine.sharing = one_of(flag, value, &kinds)?;
            }
            _ => return Err(Error::Usage(format!("no flag `{flag}`\n\n{HELP}"))),
        }
        Ok(())
    }

    /// Simulates and returns the report.
    ///
    /// # Errors
    /// The errors of the graph, the machine and the searches.
    pub fn run(&self) -> Result<Report, Error> {
        let graph = Arc::new(self.size.graph()?);
        self.machine.check(&graph)?;
        let mut bounds = bounds(&graph, &self.machine);
        if self.size.app == App::Gemm {
            let bytes = gemm_io_bytes(
                self.size.partitions,
                self.size.partition_bytes,
                self.machine.capacity_bytes,
                self.machine.gpus,
            );
            let io_ns =
                bytes as f64 * 1e9 / (self.machine.link_bytes_per_s * self.machine.gpus as f64);
            bounds.load_ns = bounds.load_ns.max(io_ns as u64);
        }
        let mut named: Vec<(String, Run, bool)> = Vec::new();
        for name in self.policies.iter().filter(|n| *n != "best" && *n != "worst") {
            named.push((name.clone(), self.simulate(&graph, name)?, true));
        }
        let mut best_ns = None;
        if self.policies.iter().any(|n| n == "best") {
            let (run, proven) = self.best(&graph, &named)?;
            best_ns = proven.then_some(run.makespan_ns);
            named.push(("best".into(), run, proven));
        }
        if self.policies.iter().any(|n| n == "worst") {
            let worst = exact::worst(&graph, &self.machine, self.schedules_max)?;
            named.push(("worst".into(), worst.run, worst.proven));
        }
        let bound_ns = bounds.best_ns().max(best_ns.unwrap_or(0));
        let row = |(name, run, proven): &(String, Run, bool)| {
            let mut row =
                Row::new(name, &graph, self.machine.gpus, run, (bound_ns, bounds.compute_ns));
            row.proven = *proven;
            row.over_best = best_ns.map(|best| run.makespan_ns as f64 / best as f64);
            row
        };
        Ok(Report {
            title: self.title(),
            subtasks: graph.subtasks().len(),
            machine: self.machine.clone(),
            bounds,
            bound_ns,
            rows: named.iter().map(row).collect(),
            runs: named.into_iter().map(|(_, run, _)| run).collect(),
            graph,
        })
    }

    fn title(&self) -> String {
        format!(
            "{:?} {}x{} on {} GPUs",
            self.size.app, self.size.partitions, self.size.iterations, self.machine.gpus
        )
    }

    fn simulate(&self, graph: &Arc<Graph>, name: &str) -> Result<Run, Error> {
        let policy = match name.parse()? {
            Policy::PTask(_) => Policy::PTask(self.ptask_wait_ns),
            Policy::Locality(_) => Policy::Locality(self.claims),
            Policy::Victream(_) => Policy::Victream(self.claims),
            Policy::Ours(_) => Policy::Ours(self.ours),
            Policy::Fifo => Policy::Fifo,
        };
        simulate(graph, &self.machine, &mut *policy.scheduler(graph, &self.machine)?)
    }

    /// Starts the exact search from the fastest known run, and replays its result through the
    /// simulator.
    fn best(
        &self,
        graph: &Arc<Graph>,
        named: &[(String, Run, bool)],
    ) -> Result<(Run, bool), Error> {
        let mut fastest = self.simulate(graph, "ours")?;
        for (_, run, _) in named {
            if run.makespan_ns < fastest.makespan_ns {
                fastest = run.clone();
            }
        }
        let best = exact::best(graph, &self.machine, fastest.makespan_ns, self.points_max)?;
        let run = match best.commands {
            Some(commands) => simulate(graph, &self.machine, &mut Replay::new(commands))?,
            None => fastest,
        };
        Ok((run, best.proven))
    }

    /// Returns the paths and contents of the requested files.
    ///
    /// # Errors
    /// `Usage` if a number has no JSON form.
    pub fn files(&self, report: &Report) -> Result<Vec<(String, String)>, Error> {
        let mut files = Vec::new();
        if let Some(path) = &self.csv {
            files.push((path.clone(), report.csv()));
        }
        if let Some(path) = &self.json {
            files.push((path.clone(), report.json()?));
        }
        if let Some(dir) = &self.svg {
            let runs: Vec<(&str, &Run)> =
                report.rows.iter().map(|r| r.policy.as_str()).zip(&report.runs).collect();
            files.push((
                format!("{dir}/completions.svg"),
                picture::completions(&report.title, &runs),
            ));
            files.push((
                format!("{dir}/makespans.svg"),
                picture::bars("makespan over lower bound", &[report]),
            ));
            for (name, run) in runs {
                let title = format!(
                    "{}, {name}: {} ms",
                    report.title,
                    crate::reporting::report::ms(run.makespan_ns)
                );
                files.push((
                    format!("{dir}/gantt-{name}.svg"),
                    picture::gantt(&title, &report.graph, &report.machine, run),
                ));
                files.push((
                    format!("{dir}/order-{name}.svg"),
                    picture::order(&title, &report.graph, run),
                ));
            }
        }
        Ok(files)
    }
}

fn number<T: std::str::FromStr>(flag: &str, value: &str) -> Result<T, Error> {
    value.parse().map_err(|_| Error::Usage(format!("{flag}: `{value}` is not a number that fits")))
}

/// Parses a non-negative number and returns its product with `unit` as an integer.
fn scaled(flag: &str, value: &str, unit: f64) -> Result<u64, Error> {
    let number: f64 = number(flag, value)?;
    if !number.is_finite() || !(0.0..1e12).contains(&number) {
        return Err(Error::Usage(format!("{flag}: {value} is out of range")));
    }
    Ok((number * unit).round() as u64)
}

fn one_of<T: Copy>(flag: &str, value: &str, choices: &[(&str, T)]) -> Result<T, Error> {
    let names = choices.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let found = choices.iter().find(|(name, _)| *name == value);
    found
        .map(|(_, choice)| *choice)
        .ok_or_else(|| Error::Usage(format!("{flag}: `{value}` is none of {names}")))
}
