//! Creates the places where a case runs: on this machine's own GPU, or as a client at the end of a
//! link to a node. Servers, networks and relays start and end with their place.

use super::case::{Case, Sample, Scale};
use super::process::{self, Server, executable};
use crate::error::Error;
use crate::links::link::LinkKind;
use crate::links::network_namespaces;
use crate::links::network_namespaces::{NODE_ADDRESS, Network, NetworkSide};
use crate::links::raw_link;
use crate::links::raw_link::Reach;
use outhaul_share::PolicyName;
use outhaul_transport::os::tune_settings;
use outhaul_transport::{CA_VARIABLE, NODE_VARIABLE};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const MEASURE_SECONDS_MAX: u64 = 60;
/// The variable with the number of bulk lanes of a session.
const LANES_VARIABLE: &str = "OUTHAUL_LANES";
const LANES: usize = 4;
/// Minimum one-way delay at which TCP windows matter more than a relay's own delay.
const LONG_DELAY_MIN: Duration = Duration::from_micros(500);

/// The tool that limits a link's rate.
#[derive(Clone, Copy, PartialEq, Debug, clap::ValueEnum)]
pub enum Shaper {
    /// Network namespaces if they work, else the relay.
    Auto,
    /// Two network namespaces. tbf on a veth pair limits the rate; from a round trip of a
    /// millisecond on, a cable delays packets.
    Tc,
    /// A process that passes bytes on after a delay.
    Relay,
}

/// The options of every command that creates places.
#[derive(clap::Args)]
// Without this attribute, a command would have several groups by the name `Options`.
#[group(skip)]
pub struct Options {
    /// GPU to measure: this machine's own if there is one (`auto`), the software GPU (`soft`), or
    /// the path of a libcuda.so.1.
    #[arg(long, value_name = "auto|soft|PATH", default_value = "auto")]
    pub gpu: String,
    /// Tool that makes the links: Linux between network namespaces (tc), a relay, or auto: a relay
    /// only if Linux does not permit namespaces.
    #[arg(long, value_name = "auto|tc|relay", default_value = "auto")]
    shaper: Shaper,
    /// Command that starts each remote client, such as one that hides the GPU [default: none].
    #[arg(long, value_name = "COMMAND")]
    client_under: Option<PathBuf>,
}

impl Options {
    /// Returns the settings that the options select.
    pub fn setting(&self, cache: &Path, policy: Option<PolicyName>, certify: Certify) -> Setting {
        Setting {
            gpu: self.gpu.clone(),
            lanes: std::env::var(LANES_VARIABLE)
                .ok()
                .and_then(|lanes| lanes.parse().ok())
                .unwrap_or(LANES),
            shaper: self.shaper,
            client_under: self.client_under.clone(),
            cache: cache.to_owned(),
            policy,
            certify,
        }
    }
}

/// The settings that all places have in common.
pub struct Setting {
    pub gpu: String,
    pub lanes: usize,
    pub shaper: Shaper,
    /// Command that starts each remote client.
    pub client_under: Option<PathBuf>,
    pub cache: PathBuf,
    /// Policy by which a node shares its GPU, if not the node's default.
    pub policy: Option<PolicyName>,
    /// Issues a certificate to the node of a link over TLS.
    pub certify: Certify,
}

/// A function that puts a certificate for a node's name into a folder. Returns the file with the
/// authority's certificate.
pub type Certify = fn(&Path, &str) -> Result<PathBuf, Box<dyn std::error::Error + Send + Sync>>;

impl Setting {
    /// Prepares for links that need namespaces. Must run before any thread starts.
    pub fn gain_rights(&self, links: &[LinkKind]) {
        if self.shaper != Shaper::Relay
            && links
                .iter()
                .any(|link| link.bits_per_s.is_some() || link.delay >= Some(LONG_DELAY_MIN))
        {
            // If this fails, the attempt to create a namespace reports what is missing.
            let _ = network_namespaces::gain_rights();
        }
    }
}

/// A place where cases run.
pub struct Venue {
    /// The link; none for the native place.
    link: Option<Made>,
    gpu: String,
}

struct Made {
    link: LinkKind,
    network: Option<Network>,
    client_under: Option<PathBuf>,
    address: String,
    report: LinkReport,
    /// File with the certificate that identifies the node over TLS.
    ca_file: Option<PathBuf>,
    /// Servers that end with the place.
    _servers: Vec<Server>,
}

/// A link as the bench created and measured it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LinkReport {
    pub name: String,
    /// The tools that shape the link: tbf, relay, both, or nothing.
    pub shaped_by: String,
    pub reach: Reach,
    /// iperf3's rate to the node, if iperf3 is installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iperf_bytes_per_s: Option<f64>,
}

/// Name that the node proves over TLS.
const NODE_NAME: &str = "bench";

impl Venue {
    /// Creates the place on this machine's own GPU.
    pub fn native(gpu: &str) -> Venue {
        Venue { link: None, gpu: gpu.into() }
    }

    /// Creates a place at the end of a link, with the node.
    pub fn over(link: &LinkKind, setting: &Setting) -> Result<Venue, Error> {
        Ok(Venue { link: Some(Made::new(link, setting)?), gpu: setting.gpu.clone() })
    }

    /// Returns the name of the link, or `native`.
    pub fn name(&self) -> &str {
        self.link.as_ref().map_or("native", |made| &made.link.name)
    }

    /// Returns the link's measurements, or none for the native place.
    pub fn report(&self) -> Option<&LinkReport> {
        self.link.as_ref().map(|made| &made.report)
    }

    /// Runs a case once in a separate process. Counts the case's messages if `counted` is set.
    pub fn run(
        &self,
        case: Case,
        scale: Scale,
        counted: bool,
        energy: bool,
        seconds_max: u64,
    ) -> Result<Vec<Sample>, String> {
        let mut command = executable()
            .and_then(|outhaul| self.command(outhaul.as_ref()))
            .map_err(|error| error.to_string())?;
        command
            .arg("bench")
            .arg("--here")
            .arg(case.name())
            .arg("--scale")
            .arg(if scale == Scale::Full { "full" } else { "small" });
        command.args(energy.then_some("--energy"));
        command.env(
            tune_settings::VARIABLE,
            tune_settings::with("stats", if counted { "1" } else { "0" }),
        );
        let printed = process::output(command, seconds_max)?;
        let samples =
            printed.lines().filter(|line| line.starts_with('{')).map(serde_json::from_str);
        samples
            .collect::<Result<_, _>>()
            .map_err(|error| format!("cannot parse its output: {error}"))
    }

    /// Returns a command for a program that uses this place's GPU.
    pub fn command(&self, program: &OsStr) -> Result<Command, Error> {
        let outhaul = executable()?;
        let mut command = match &self.link {
            Some(made) => {
                let mut command = made.client(&outhaul);
                command.args(["run", "--node", &made.address, "--"]).arg(program);
                command.env(
                    "OUTHAUL_TRANSPORT",
                    if made.link.memory { "shared-memory" } else { "tcp" },
                );
                command.envs(made.ca_file.iter().map(|file| (CA_VARIABLE, file)));
                command
            }
            // The loader finds the machine's own driver.
            None if self.gpu == "auto" => Command::new(program),
            None => {
                let mut command = Command::new(&outhaul);
                command.args(["run", "--gpu", &self.gpu, "--"]).arg(program);
                command
            }
        };
        command.env_remove(NODE_VARIABLE);
        Ok(command)
    }
}

impl Made {
    fn new(link: &LinkKind, setting: &Setting) -> Result<Made, Error> {
        // A node that does not authenticate clients listens only on the loopback, with or without
        // TLS.
        let (network, relayed) =
            make_network(link, if link.sealed { Shaper::Relay } else { setting.shaper })?;
        let mut servers = Vec::new();
        let mut serve = |arguments: &[&str], side| -> Result<String, Error> {
            let mut command = Command::new(executable()?);
            command.args(arguments);
            if let Some(network) = &network {
                network.enter(side, &mut command);
            }
            servers.push(Server::start(command)?);
            Ok(servers.last().map(|server| server.address.clone()).unwrap_or_default())
        };
        let listen =
            if network.is_some() { format!("{NODE_ADDRESS}:0") } else { "127.0.0.1:0".into() };
        let cache = setting.cache.display().to_string();
        let identity = setting.cache.join("identity");
        let mut node = vec!["serve", "--gpu", &setting.gpu, "--cache", &cache, "--listen", &listen];
        let folder = identity.display().to_string();
        let mut ca_file = None;
        if link.sealed {
            ca_file = Some((setting.certify)(&identity, NODE_NAME).map_err(Error::Certificate)?);
            node.extend(["--identity", &folder]);
        } else {
            node.push("--insecure");
        }
        let policy = setting.policy.map(|policy| policy.to_string());
        policy.iter().for_each(|policy| node.extend(["--policy", policy]));
        let mut address = serve(&node, NetworkSide::Node)?;
        let mut measured = serve(&["bench", "far-end", "--listen", &listen], NetworkSide::Node)?;
        if let Some(relayed) = &relayed {
            for end in [&mut address, &mut measured] {
                *end = serve(
                    &["bench", "relay", "--to", end, "--link", relayed],
                    NetworkSide::Client,
                )?;
            }
        }
        if link.sealed {
            address = format!("{NODE_NAME}@{address}");
        }
        let shaped_by = match (&network, &relayed) {
            (Some(network), _) if network.is_long() => "cable",
            (Some(_), Some(_)) => "tbf, relay",
            (Some(_), None) => "tbf",
            (None, Some(_)) => "relay",
            (None, None) => "nothing",
        };
        let reach =
            Reach { round_trip_us: 0.0, to_node_bytes_per_s: 0.0, to_client_bytes_per_s: 0.0 };
        let report = LinkReport {
            name: link.name.clone(),
            shaped_by: shaped_by.into(),
            reach,
            iperf_bytes_per_s: None,
        };
        let client_under = setting.client_under.clone();
        let mut made = Made {
            link: link.clone(),
            network,
            client_under,
            address,
            report,
            ca_file,
            _servers: servers,
        };
        made.measure(&measured, setting.lanes.max(1), relayed.is_some())?;
        Ok(made)
    }

    fn measure(&mut self, far_end: &str, connections: usize, relayed: bool) -> Result<(), Error> {
        if self.link.memory {
            self.report.reach = raw_link::measure_memory(connections);
            return Ok(());
        }
        let mut near_end = self.at_client(&executable()?);
        near_end.args([
            "bench",
            "near-end",
            "--to",
            far_end,
            "--connections",
            &connections.to_string(),
        ]);
        let wrong = |error: String| Error::Bench(format!("link {}: {error}", self.link.name));
        let printed = process::output(near_end, MEASURE_SECONDS_MAX).map_err(wrong)?;
        self.report.reach =
            serde_json::from_str(&printed).map_err(|error| wrong(error.to_string()))?;
        if !relayed {
            self.report.iperf_bytes_per_s = self.iperf(connections);
        }
        Ok(())
    }

    /// Measures the rate again with iperf3, if iperf3 is installed.
    fn iperf(&self, connections: usize) -> Option<f64> {
        const PORT: &str = "7659";
        let host = if self.network.is_some() { NODE_ADDRESS } else { "127.0.0.1" };
        let mut far = Command::new("iperf3");
        far.args(["-s", "-1", "-B", host, "-p", PORT, "--forceflush"]);
        if let Some(network) = &self.network {
            network.enter(NetworkSide::Node, &mut far);
        }
        let _far = Server::start(far).ok()?;
        let mut near = self.at_client(Path::new("iperf3"));
        near.args(["-c", host, "-p", PORT, "-P", &connections.to_string(), "-t", "1", "-J"]);
        // iperf3 prints that it listens shortly before it does.
        std::thread::sleep(std::time::Duration::from_millis(200));
        let printed: serde_json::Value =
            serde_json::from_str(&process::output(near, MEASURE_SECONDS_MAX).ok()?).ok()?;
        printed["end"]["sum_received"]["bits_per_second"].as_f64().map(|bits| bits / 8.0)
    }

    /// Returns a command for a program on the client's side of the link.
    fn at_client(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if let Some(network) = &self.network {
            network.enter(NetworkSide::Client, &mut command);
        }
        command
    }

    /// Returns a command for a client on the client's side of the link, under the command that
    /// starts clients.
    fn client(&self, program: &Path) -> Command {
        match &self.client_under {
            Some(under) => {
                let mut command = self.at_client(under);
                command.arg(program);
                command
            }
            None => self.at_client(program),
        }
    }
}

/// Creates the namespaces that limit the link's rate, and its delay if it is long. Returns the part
/// of the link that a relay must make.
fn make_network(
    link: &LinkKind,
    shaper: Shaper,
) -> Result<(Option<Network>, Option<String>), Error> {
    let by_relay = link.delay.map(|delay| format!("rtt:{}us", delay.as_secs_f64() * 2e6));
    let long = link.delay.filter(|delay| *delay >= LONG_DELAY_MIN);
    let whole = link
        .bits_per_s
        .map_or(by_relay.clone(), |bits_per_s| Some(relayed(bits_per_s, by_relay.clone())));
    let made = match (shaper, long, link.bits_per_s) {
        (Shaper::Relay, ..) | (_, None, None) => return Ok((None, whole)),
        (_, Some(delay), bits_per_s) => {
            Network::long(bits_per_s, delay).map(|network| (Some(network), None))
        }
        (_, None, Some(bits_per_s)) => {
            Network::new(bits_per_s).map(|network| (Some(network), by_relay))
        }
    };
    match made {
        Err(error) if shaper == Shaper::Auto => {
            eprintln!("outhaul: a relay makes {}: {error}", link.name);
            Ok((None, whole))
        }
        made => made,
    }
}

fn relayed(bits_per_s: f64, delay: Option<String>) -> String {
    let rate = format!("{}g", bits_per_s / 1e9);
    delay.map_or(rate.clone(), |delay| format!("{rate}+{delay}"))
}
