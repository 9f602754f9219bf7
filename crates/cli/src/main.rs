//! The binary `outhaul`: lists the subcommands, each in a module of its own, and prints their
//! errors.

mod address;
mod check;
mod commands;
mod internal;

mod error;
mod install;
mod local_time;
mod notice;
mod pool;
mod quantity;
mod shares;
mod signals;
mod table;

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
    Serve(commands::serve::Arguments),
    Run(commands::run::Arguments),
    Ls(commands::ls::Arguments),
    Top(commands::top::Arguments),
    Demo(commands::demo::Arguments),
    Doctor(commands::doctor::Arguments),
    Pool(pool::Arguments),
    Lease(pool::lease::Arguments),
    Request(pool::lease::Request),
    Release(pool::lease::Release),
    Node(pool::operator_commands::Node),
    Energy(commands::energy::Arguments),
    Quota(pool::operator_commands::QuotaArguments),
    Token(pool::token::Arguments),
    Health(pool::operator_commands::HealthArguments),
    Audit(pool::audit::Arguments),
    Sim(commands::sim::Arguments),
    Bench(Box<outhaul_bench::Arguments>),
    Config(address::context::Arguments),
    Use(address::context::Use),
    Completion(commands::completion::Arguments),
    #[command(hide = true)]
    Manual(commands::completion::Manual),
    #[command(hide = true)]
    Worker(internal::worker::Arguments),
    #[command(hide = true)]
    Keeper(internal::keeper::Arguments),
    #[command(hide = true)]
    KeepLease(pool::lease_keeper::Arguments),
    #[command(hide = true)]
    EnergyCounters(internal::energy_counters::Arguments),
    #[command(hide = true)]
    Probe(check::driver_probe::Arguments),
}

/// Makes `outhaul ... | head` end silently when its reader ends, as other programs do. SIGPIPE
/// remains ignored, because writes to sockets must return errors.
fn end_with_the_reader() {
    const EXIT_CODE: i32 = 128 + libc::SIGPIPE;
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let said = panic.payload_as_str().unwrap_or_default();
        if said.starts_with("failed printing to stdout") && said.contains("Broken pipe") {
            outhaul_files::delete_temporary_folders();
            std::process::exit(EXIT_CODE);
        }
        report(panic);
    }));
}

/// Makes a write beyond the limit on the size of files (`ulimit -f`) an error in processes that run
/// for long: a full log must not end the sessions of a node. Programs would inherit that, so it
/// applies to no command that runs one.
fn survive_full_files(command: &Command) {
    if let Command::Serve(_)
    | Command::Worker(_)
    | Command::Keeper(_)
    | Command::KeepLease(_)
    | Command::Pool(_) = command
    {
        // SAFETY: ignoring a signal runs no code of this process.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    }
}

fn main() -> ExitCode {
    end_with_the_reader();
    let command = Arguments::parse().command;
    survive_full_files(&command);
    let result = match command {
        Command::Serve(arguments) => commands::serve::execute(arguments),
        Command::Run(arguments) => commands::run::execute(arguments),
        Command::Ls(arguments) => commands::ls::execute(arguments),
        Command::Top(arguments) => commands::top::execute(&arguments),
        Command::Demo(arguments) => commands::demo::execute(arguments),
        Command::Doctor(arguments) => commands::doctor::execute(arguments),
        Command::Pool(arguments) => pool::execute(arguments),
        Command::Lease(arguments) => pool::lease::execute(arguments),
        Command::Request(arguments) => pool::lease::request(arguments),
        Command::Release(arguments) => pool::lease::release(arguments),
        Command::Node(arguments) => pool::operator_commands::node(arguments),
        Command::Energy(arguments) => commands::energy::execute(arguments),
        Command::Quota(arguments) => pool::operator_commands::quota(arguments),
        Command::Token(arguments) => pool::token::execute(arguments),
        Command::Health(arguments) => pool::operator_commands::health(arguments),
        Command::Audit(arguments) => pool::audit::execute(arguments),
        Command::KeepLease(arguments) => pool::lease_keeper::execute(arguments),
        Command::Sim(arguments) => commands::sim::execute(arguments),
        Command::Bench(arguments) => commands::bench::execute(*arguments),
        Command::Config(arguments) => address::context::execute(arguments),
        Command::Use(arguments) => address::context::use_context(&arguments),
        Command::Completion(arguments) => {
            Ok(commands::completion::execute(&arguments, Arguments::command()))
        }
        Command::Manual(arguments) => {
            commands::completion::manual(&arguments, Arguments::command())
        }
        Command::Worker(arguments) => internal::worker::execute(arguments),
        Command::Keeper(arguments) => internal::keeper::execute(&arguments),
        Command::EnergyCounters(arguments) => internal::energy_counters::execute(&arguments),
        Command::Probe(arguments) => check::driver_probe::execute(arguments),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            // Writes the message in one call, so that it does not mix with lines of workers.
            let _ = std::io::stderr().write_all(format!("outhaul: {error}\n").as_bytes());
            ExitCode::from(error.exit_code())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of arguments without help, of a command and its subcommands.
    fn unexplained(command: &clap::Command, name: &str) -> Vec<String> {
        let arguments = command.get_arguments().filter(|one| !one.is_hide_set());
        let own = arguments.filter(|one| one.get_help().is_none() && one.get_long_help().is_none());
        let own = own.map(|one| format!("{name} {}", one.get_id()));
        let below = command.get_subcommands().filter(|below| !below.is_hide_set());
        let below =
            below.flat_map(|below| unexplained(below, &format!("{name} {}", below.get_name())));
        own.chain(below).collect()
    }

    #[test]
    fn every_argument_is_explained() {
        assert_eq!(unexplained(&Arguments::command(), "outhaul"), Vec::<String>::new());
    }
}
