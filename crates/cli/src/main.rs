//! The binary `outhaul`: lists the subcommands, each in a module of its own, and prints their
//! errors.

mod bench;
mod cells;
mod completion;
mod contact;
mod context;
mod control;
mod demo;
mod doctor;
mod elf;
mod energy;
mod error;
mod farewell;
mod install;
mod keeper;
mod lease;
mod link;
mod ls;
mod membership;
mod metering;
mod node;
mod node_address;
mod node_metrics;
mod notify;
mod passports;
mod pool;
mod pool_address;
mod pool_backup;
mod pool_identity;
mod pool_top;
mod probe;
mod program;
mod renewal;
mod run;
mod serve;
mod session;
mod shares;
mod sim;
mod table;
mod tenure;
mod token;
mod top;
mod wish;
mod witness;
mod worker;

use clap::{CommandFactory, Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;

/// Run unmodified CUDA programs on GPUs of other machines.
#[derive(Parser)]
#[command(name = "outhaul", version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  outhaul demo                                         see it work on this machine
  outhaul serve                                        on the machine with the GPU
  outhaul run --node 127.0.0.1:7654 -- ./vector_add    on the machine with the program
  outhaul run --gpu soft -- ./vector_add               without any GPU";

#[derive(Subcommand)]
enum Command {
    Serve(serve::Arguments),
    Run(run::Arguments),
    Ls(ls::Arguments),
    Top(top::Arguments),
    Demo(demo::Arguments),
    Doctor(doctor::Arguments),
    Pool(pool::Arguments),
    Lease(lease::Arguments),
    Request(lease::Request),
    Release(lease::Release),
    Node(control::Node),
    Energy(energy::Arguments),
    Quota(control::QuotaArguments),
    Token(token::Arguments),
    Health(control::HealthArguments),
    Audit(control::Audit),
    Sim(sim::Arguments),
    Bench(Box<bench::Arguments>),
    Config(context::Arguments),
    Use(context::Use),
    Completion(completion::Arguments),
    #[command(hide = true)]
    Manual(completion::Manual),
    #[command(hide = true)]
    Worker(worker::Arguments),
    #[command(hide = true)]
    Keeper(keeper::Arguments),
    #[command(hide = true)]
    KeepLease(tenure::Arguments),
    #[command(hide = true)]
    EnergyCounters(metering::Arguments),
    #[command(hide = true)]
    Probe(probe::Arguments),
}

/// `outhaul ... | head` must end silently with its reader, as other programs do. SIGPIPE stays
/// ignored, because sockets must return errors.
fn end_with_the_reader() {
    const EXIT_CODE: i32 = 128 + libc::SIGPIPE;
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let said = panic.payload_as_str().unwrap_or_default();
        if said.starts_with("failed printing to stdout") && said.contains("Broken pipe") {
            std::process::exit(EXIT_CODE);
        }
        report(panic);
    }));
}

fn main() -> ExitCode {
    end_with_the_reader();
    let result = match Arguments::parse().command {
        Command::Serve(arguments) => serve::execute(arguments),
        Command::Run(arguments) => run::execute(arguments),
        Command::Ls(arguments) => ls::execute(arguments),
        Command::Top(arguments) => top::execute(&arguments),
        Command::Demo(arguments) => demo::execute(arguments),
        Command::Doctor(arguments) => doctor::execute(arguments),
        Command::Pool(arguments) => pool::execute(arguments),
        Command::Lease(arguments) => lease::execute(arguments),
        Command::Request(arguments) => lease::request(arguments),
        Command::Release(arguments) => lease::release(arguments),
        Command::Node(arguments) => control::node(arguments),
        Command::Energy(arguments) => energy::execute(arguments),
        Command::Quota(arguments) => control::quota(arguments),
        Command::Token(arguments) => token::execute(arguments),
        Command::Health(arguments) => control::health(arguments),
        Command::Audit(arguments) => control::audit(arguments),
        Command::KeepLease(arguments) => tenure::execute(arguments),
        Command::Sim(arguments) => sim::execute(arguments),
        Command::Bench(arguments) => bench::execute(*arguments),
        Command::Config(arguments) => context::execute(arguments),
        Command::Use(arguments) => context::use_context(&arguments),
        Command::Completion(arguments) => Ok(completion::execute(&arguments, Arguments::command())),
        Command::Manual(arguments) => completion::manual(&arguments, Arguments::command()),
        Command::Worker(arguments) => worker::execute(arguments),
        Command::Keeper(arguments) => keeper::execute(&arguments),
        Command::EnergyCounters(arguments) => metering::execute(&arguments),
        Command::Probe(arguments) => probe::execute(arguments),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            // One write, so that workers' lines do not mix with it.
            let _ = std::io::stderr().write_all(format!("outhaul: {error}\n").as_bytes());
            ExitCode::from(error.exit_code())
        }
    }
}
