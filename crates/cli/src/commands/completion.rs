//! `outhaul completion` and `outhaul manual`: shell completions and man pages. Both come from the
//! definition of the command line, so that they always agree with it.

use crate::error::Error;
use clap::{Arg, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use std::io::Write;
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
    /// Shell to print the script for.
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
    let written = outhaul_files::report_folder(&arguments.folder)
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
    let synopsis = synopsis(&command, &name.replace('-', " "));
    let has_commands = command.has_subcommands();
    let has_version = command.get_version().is_some();
    let has_more = command.get_after_help().or(command.get_after_long_help()).is_some();
    let man = Man::new(command.display_name(name.to_owned())).title(name.to_owned());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    write!(page, ".SH SYNOPSIS\n{synopsis}\n")?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if has_commands {
        man.render_subcommands_section(&mut page)?;
    }
    if has_more {
        man.render_extra_section(&mut page)?;
    }
    if has_version {
        man.render_version_section(&mut page)?;
    }
    outhaul_files::write_report(&folder.join(format!("{name}.1")), &page)
}

/// Formats how a command is called, with its options and their values.
fn synopsis(command: &Command, name: &str) -> String {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('-', "\\-");
    let mut text = format!("\\fB{}\\fR", escaped(name));
    let (positional, options): (Vec<&Arg>, Vec<&Arg>) = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set())
        .partition(|argument| argument.is_positional());
    for option in options {
        let flag = match (option.get_long(), option.get_short()) {
            (Some(long), _) => format!("--{long}"),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => continue,
        };
        let takes_value = option.get_action().takes_values();
        let values = option.get_value_names().unwrap_or_default().join(" ");
        let value =
            if takes_value { format!(" \\fI{}\\fR", escaped(&values)) } else { String::new() };
        text += &format!(" [\\fB{}\\fR{value}]", escaped(&flag));
    }
    for argument in positional {
        let value = argument.get_value_names().unwrap_or_default().join(" ");
        let many = argument.get_num_args().is_some_and(|count| count.max_values() > 1);
        let value = format!("\\fI{}\\fR{}", escaped(&value), if many { "..." } else { "" });
        text +=
            &if argument.is_required_set() { format!(" {value}") } else { format!(" [{value}]") };
    }
    if command.has_subcommands() {
        text += " \\fICOMMAND\\fR";
    }
    text
}
