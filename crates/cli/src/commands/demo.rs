//! `outhaul demo`: a node on this machine, and three programs that run on it. It needs no GPU,
//! compiler or network: this binary contains the programs, and their kernels as PTX.

mod programs;

use crate::address::node::NodeAddress;
use crate::error::Error;
use crate::signals::delete_folders_before_end;
use outhaul_bench::measurement::process::{Server, status};
use outhaul_files::TemporaryFolder;
use programs::Program;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Try Outhaul: start a node on this machine, and run three CUDA programs on it.
#[derive(clap::Args)]
#[command(after_help = "\
The node offers this machine's GPU, or the software GPU where there is none.

Examples:
  outhaul demo
  outhaul demo --node gpu7:7654     on a node that runs already")]
pub struct Arguments {
    /// Address of a node to use, instead of starting one.
    #[arg(long, value_name = "HOST:PORT")]
    node: Option<NodeAddress>,
    /// Program to run, on the driver that the loader finds.
    #[arg(long, hide = true)]
    program: Option<Program>,
}

/// Runs the demonstration's programs on the named node, or else on a node that this command starts.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    if let Some(program) = arguments.program {
        return program.run().map(|()| ExitCode::SUCCESS);
    }
    delete_folders_before_end()?;
    let start = Instant::now();
    let own = std::env::current_exe()
        .map_err(|error| Error::Io { doing: "cannot find this executable".into(), error })?;
    let (node, _started) = match arguments.node {
        Some(node) => (node.to_string(), None),
        None => {
            say("A node on this machine", "outhaul serve");
            let started = start_node(&own)?;
            println!("It listens on {}.", started.server.address);
            (started.server.address.clone(), Some(started))
        }
    };
    let outhaul = |arguments: &[&str]| {
        let mut command = Command::new(&own);
        command.args(arguments).env_remove("OUTHAUL_POOL");
        status(command)
    };
    say("The node's GPUs", &format!("outhaul ls --node {node}"));
    let mut failed = u8::from(outhaul(&["ls", "--node", &node])? != 0);
    for program in Program::ALL {
        let name = program.name();
        say(
            program.title(),
            &format!("outhaul run --node {node} -- outhaul demo --program {name}"),
        );
        let itself = own.display().to_string();
        failed += u8::from(
            outhaul(&["run", "--node", &node, "--", &itself, "demo", "--program", name])? != 0,
        );
    }
    if failed > 0 {
        println!("\nSomething failed; `outhaul doctor --node {node}` may say what.");
        return Ok(ExitCode::FAILURE);
    }
    println!(
        "\nAll programs checked their results on the node's GPU, in {:.1} s. Next:",
        start.elapsed().as_secs_f64()
    );
    println!("  outhaul serve                                     on a machine with a GPU");
    println!(
        "  outhaul run --node HOST:7654 -- python train.py   on the machine with your program"
    );
    Ok(ExitCode::SUCCESS)
}

/// The demonstration's node. The node ends before its folder goes.
struct Started {
    server: Server,
    /// The folder of its cache, if the user has none.
    _cache: Option<TemporaryFolder>,
}

/// Starts a node on a free port. The node caches code in the user's cache folder, if there is one.
fn start_node(own: &Path) -> Result<Started, Error> {
    let mut command = Command::new(own);
    command.args(["serve", "--listen", "127.0.0.1:0"]);
    let is_unset = |variable: &&str| std::env::var_os(variable).is_none_or(|v| v.is_empty());
    let cache = if ["XDG_CACHE_HOME", "HOME"].iter().all(is_unset) {
        let folder = TemporaryFolder::new("demo")
            .map_err(|error| Error::Io { doing: "cannot make a temporary folder".into(), error })?;
        command.arg("--cache").arg(folder.path());
        Some(folder)
    } else {
        None
    };
    Ok(Started { server: Server::start(command)?, _cache: cache })
}

fn say(title: &str, command: &str) {
    println!("\n{title}\n$ {command}");
}
