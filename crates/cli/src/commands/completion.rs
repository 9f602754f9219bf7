//! `outhaul completion` and `outhaul manual`: shell completions and man pages. Both come from the
//! definition of the command line, so that they always agree with it.

use crate::error::Error;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Print a shell's completion script for `outhaul`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  source <(outhaul completion bash)                                          in this shell
  outhaul completion zsh > ~/.zfunc/_outhaul                                 with fpath+=~/.zfunc \
  in ~/.zshrc
  outhaul completion fish > ~/.config/fish/completions/outhaul.fish")]
pub struct Arguments {
    shell: Shell,
}

/// Prints a shell's completion script.
pub fn execute(arguments: &Arguments, mut command: Command) -> ExitCode {
    clap_complete::generate(arguments.shell, &mut command, "outhaul", &mut std::io::stdout());
    ExitCode::SUCCESS
}

/// Write the man pages, for packages.
#[derive(clap::Args)]
pub struct Manual {
    /// Folder for outhaul.1 and a page per command.
    folder: PathBuf,
}

/// Writes all man pages.
pub fn manual(arguments: &Manual, command: Command) -> Result<ExitCode, Error> {
    let written = std::fs::create_dir_all(&arguments.folder)
        .and_then(|()| write_pages(command.clone(), &arguments.folder, "outhaul"));
    written.map_err(|error| Error::Io {
        doing: format!("cannot write the manual to {}", arguments.folder.display()),
        error,
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a page for a command, and for its subcommands under names joined by hyphens, as git does.
fn write_pages(command: Command, folder: &Path, name: &str) -> std::io::Result<()> {
    for below in
        command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
    {
        write_pages(below.clone(), folder, &format!("{name}-{}", below.get_name()))?;
    }
    let mut page = Vec::new();
    Man::new(command.display_name(name.to_owned())).title(name.to_owned()).render(&mut page)?;
    std::fs::write(folder.join(format!("{name}.1")), page)
}
