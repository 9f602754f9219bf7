//! A pool with an identity, and its users on this machine, each with their own home folder.

use super::installation::{Installation, text};
use super::node_process::Node;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

/// A pool, and a home folder for each user.
pub struct Pool {
    pub url: String,
    process: Child,
    pub installation: Installation,
}

impl Pool {
    pub fn start() -> Pool {
        let installation = Installation::with_client();
        let home = installation.folder.join("home");
        let own = |arguments: &[&str]| {
            let mut command = installation.command(arguments);
            command.env("HOME", &home).env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
            command
        };
        let made = own(&["pool", "init"]).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        let mut process = own(&["pool", "serve", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().rsplit(' ').next().unwrap().to_owned();
        assert!(url.starts_with("https://"), "{line}");
        Pool { url, process, installation }
    }

    pub fn home(&self, who: &str) -> PathBuf {
        self.installation.folder.join(who)
    }

    /// Returns a command as the user with this home folder.
    pub fn command(&self, who: &str, arguments: &[&str]) -> Command {
        let mut command = self.installation.command(arguments);
        command
            .env("HOME", self.home(who))
            .env_remove("XDG_STATE_HOME")
            .env_remove("XDG_CONFIG_HOME");
        command.env("OUTHAUL_POOL", &self.url);
        command
    }

    pub fn output(&self, who: &str, arguments: &[&str]) -> Output {
        self.command(who, arguments).output().unwrap()
    }

    pub fn token(&self, arguments: &[&str]) -> String {
        let output = self.output("home", &[&["pool", "token"], arguments].concat());
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout).trim().to_owned()
    }

    pub fn user(&self, name: &str, limits: &[&str]) {
        let token = self.token(&[&["user", name], limits].concat());
        let joined = self.output(name, &["token", "join", &token]);
        assert!(joined.status.success(), "{joined:?}");
    }

    /// Starts a node with two GPUs.
    pub fn node(&self, name: &str, more: &[&str]) -> Node {
        let token = self.token(&["node", name]);
        Node::start_in_pool(|command| {
            command.args(["--pool", &self.url, "--join", &token]).args(more);
            command
                .env("HOME", self.home(name))
                .env_remove("XDG_STATE_HOME")
                .env("OUTHAUL_SOFT_DEVICES", "2");
        })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
