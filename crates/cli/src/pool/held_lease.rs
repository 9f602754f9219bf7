//! Obtains a lease, keeps it while a program runs, and releases it however the program ends. The
//! program replaces `outhaul run` by exec. So another process watches the program, and releases the
//! lease when the program ends.

use crate::address::pool::PoolAddress;
use crate::error::Error;
use crate::pool::lease_options::LeaseOptions;
use outhaul_pool::http::api::{LeaseRequest, LeaseState, LeaseView, Renewal, Unreachable};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::identity::secret::{key_hash, random_digits};
use outhaul_pool::model::lease::{Ask, End};
use outhaul_transport::LEASE_VARIABLE;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Path of the running executable, even if its file has been replaced.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// Maximum seconds of retries while the pool is unreachable. A queued request waits without limit.
const UNREACHABLE_SECONDS_MAX: u64 = 30;
/// Maximum seconds of retries to release a lease.
const RELEASE_SECONDS_MAX: u64 = 300;
/// Maximum number of failed placements before the program gives up.
const PLACES_MAX: u32 = 8;
const ASK_AGAIN: Duration = Duration::from_millis(500);
/// Maximum time in milliseconds that the pool holds a heartbeat while there is no news.
const NEWS_WAIT_MS: u64 = 5_000;
/// Seconds that a lease lives without a heartbeat from the process that watches its program.
const WATCHED_TTL_S: u32 = 20;
const ID_DIGITS: usize = 16;
const KEY_DIGITS: usize = 32;

/// A lease that this process holds.
pub struct HeldLease {
    pub view: LeaseView,
    key: String,
}

impl HeldLease {
    /// Obtains a lease whose nodes all serve, for this process or the program that replaces it. If
    /// a node disappears before the program starts, requests another lease.
    pub fn begin(
        pool: &PoolAddress,
        options: &LeaseOptions,
        serves: impl Fn(&str, &str) -> Result<(), Error>,
    ) -> Result<HeldLease, Error> {
        let client = pool.client()?;
        for attempt in 1.. {
            let mut lease = HeldLease::obtain(&client, options, WATCHED_TTL_S)?;
            lease.watch_over_me(pool)?;
            match lease.be_served(&client, &serves) {
                Ok(()) => return Ok(lease),
                Err(Error::PoolClient(ClientError::Gone(reason)))
                    if attempt < PLACES_MAX && lease.has_lost_its_node(&client) =>
                {
                    eprintln!("outhaul: {reason}; asking the pool for another lease");
                }
                Err(error) => return Err(error),
            }
        }
        unreachable!("the last attempt returns")
    }

    fn has_lost_its_node(&self, client: &Client) -> bool {
        let end = retry_while_busy(UNREACHABLE_SECONDS_MAX, || client.end_of(&self.view.id));
        matches!(end, Ok(Some(End::NodeLost)))
    }

    /// Requests the lease and waits in the queue. Prints on stderr how many requests are ahead.
    pub fn obtain(client: &Client, options: &LeaseOptions, ttl_s: u32) -> Result<HeldLease, Error> {
        let randomness =
            |error| Error::Io { doing: "cannot make a key for the lease".into(), error };
        let (id, key) = (
            random_digits(ID_DIGITS).map_err(randomness)?,
            random_digits(KEY_DIGITS).map_err(randomness)?,
        );
        let ask: Ask = options.ask(ttl_s);
        let request = LeaseRequest { id, key_hash: key_hash(&key), holder: None, ask };
        let view = retry_while_busy(UNREACHABLE_SECONDS_MAX, || client.request(&request))?;
        let mut lease = HeldLease { view, key };
        lease.wait(client)?;
        Ok(lease)
    }

    /// Checks that all nodes serve: `serves` takes a node's address and the lease's credential. If
    /// a node does not serve, asks the pool to place the lease elsewhere.
    fn be_served(
        &mut self,
        client: &Client,
        serves: impl Fn(&str, &str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let credential = self.credential();
        for place in 1.. {
            let refused = self
                .view
                .nodes
                .iter()
                .find_map(|node| Some((node.clone(), serves(node, &credential).err()?)));
            let Some((address, error)) = refused else { break };
            let LeaseState::Held(fence) = self.view.state else { break };
            if place == PLACES_MAX {
                return Err(Error::LeasedNode(Box::new(error)));
            }
            eprintln!("outhaul: {error}; asking the pool for another place");
            let report = Unreachable { fence, address };
            self.view = retry_while_busy(UNREACHABLE_SECONDS_MAX, || {
                client.unreachable(&self.view.id, &report)
            })?;
            std::thread::sleep(ASK_AGAIN);
            self.wait(client)?;
        }
        Ok(())
    }

    /// Waits until the lease is granted.
    fn wait(&mut self, client: &Client) -> Result<(), Error> {
        let mut last_message = None;
        while let LeaseState::Waiting(ahead) = self.view.state {
            say_once(&mut last_message, waiting(&self.view, ahead));
            let renewal = Renewal { seen: Some(self.view.state), wait_ms: NEWS_WAIT_MS };
            match client.renew(&self.view.id, &renewal) {
                Ok(view) => self.view = view,
                Err(error) if error.is_passing() => {
                    say_once(
                        &mut last_message,
                        format!("waiting for a lease, and for the pool: {error}"),
                    );
                    std::thread::sleep(ASK_AGAIN);
                }
                Err(error) => return Err(error.into()),
            }
        }
        if last_message.is_some() {
            eprintln!("outhaul: granted");
        }
        Ok(())
    }

    /// Returns the addresses of the lease's nodes, separated by commas.
    pub fn nodes(&self) -> String {
        self.view.nodes.join(",")
    }

    /// Returns the credential with which programs prove that they belong to the lease.
    pub fn credential(&self) -> String {
        format!("{}.{}", self.view.id, self.key)
    }

    /// Starts the process that keeps the lease as long as this process, or the program that
    /// replaces it, lives.
    fn watch_over_me(&self, pool: &PoolAddress) -> Result<(), Error> {
        let failed = |error| Error::Io {
            doing: "cannot start the process that keeps the lease".into(),
            error,
        };
        let mut command = Command::new(OWN_PROGRAM);
        command.arg("keep-lease").arg(&self.view.id).arg("--pool").arg(pool.to_string());
        command.arg("--tenant").arg(std::process::id().to_string());
        // Only the same user can read a process's environment.
        command.env(LEASE_VARIABLE, self.credential());
        // The grandchild does the work, so that the program finds no child that it did not start.
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status().map_err(failed)?;
        if status.success() {
            Ok(())
        } else {
            Err(failed(std::io::Error::other(status.to_string())))
        }
    }
}

fn waiting(view: &LeaseView, ahead: usize) -> String {
    let queue = match ahead {
        0 => "no request is ahead".to_owned(),
        1 => "1 request is ahead".to_owned(),
        _ => format!("{ahead} requests are ahead"),
    };
    match &view.reason {
        Some(reason) => format!("waiting for a lease: {reason}"),
        None => format!("waiting for a lease: {queue}"),
    }
}

fn say_once(last_message: &mut Option<String>, words: String) {
    if last_message.as_ref() != Some(&words) {
        eprintln!("outhaul: {words}");
        *last_message = Some(words);
    }
}

/// Repeats a request while its error is temporary, for at most `seconds_max` seconds.
fn retry_while_busy<T>(
    seconds_max: u64,
    ask: impl Fn() -> Result<T, ClientError>,
) -> Result<T, ClientError> {
    let start = Instant::now();
    loop {
        match ask() {
            Err(error) if error.is_passing() && start.elapsed().as_secs() < seconds_max => {
                std::thread::sleep(ASK_AGAIN)
            }
            answer => return answer,
        }
    }
}

/// Keep a lease while a process lives, then release it; `outhaul run` starts this command.
#[derive(clap::Args)]
pub struct Arguments {
    id: String,
    /// URL of the pool.
    #[arg(long)]
    pool: PoolAddress,
    /// ID of the process to watch.
    #[arg(long)]
    tenant: u32,
    /// Keep the lease in this process, instead of starting another process that does.
    #[arg(long)]
    stay: bool,
}

/// Runs the process that keeps a lease. Without `--stay`, starts that process and returns.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    let failed = |error| Error::Io { doing: "cannot keep the lease".into(), error };
    if !arguments.stay {
        let mut command = Command::new(OWN_PROGRAM);
        command.args(std::env::args_os().skip(1)).arg("--stay");
        // Detaches from the terminal, because a signal that ends the program must not end this
        // process first.
        command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(failed)?;
        return Ok(ExitCode::SUCCESS);
    }
    let client = arguments.pool.holder(&std::env::var(LEASE_VARIABLE).unwrap_or_default())?;
    let tenant = open(arguments.tenant);
    let (keeper, id) = (client.clone(), arguments.id.clone());
    std::thread::spawn(move || keep(&keeper, &id));
    if let Some(tenant) = tenant {
        await_end(&tenant);
    }
    RELEASING.store(true, Ordering::Relaxed);
    // If the pool does not answer, the lease expires.
    let _ = retry_while_busy(RELEASE_SECONDS_MAX, || client.release(&arguments.id));
    Ok(ExitCode::SUCCESS)
}

/// Whether this process is releasing the lease. Then `keep` does not report the lease's end.
static RELEASING: AtomicBool = AtomicBool::new(false);

/// Sends heartbeats. Ends this process when the lease has ended.
fn keep(client: &Client, id: &str) {
    let mut seen = None;
    loop {
        match client.renew(id, &Renewal { seen, wait_ms: NEWS_WAIT_MS }) {
            Ok(view) => seen = Some(view.state),
            Err(_) if RELEASING.load(Ordering::Relaxed) => return,
            Err(error @ ClientError::Gone(_)) => {
                let _ = std::io::stderr().write_all(format!("outhaul: {error}\n").as_bytes());
                std::process::exit(0);
            }
            // Other errors do not mean that the lease has ended. For example, another server may
            // answer at the pool's address for a while.
            Err(_) => std::thread::sleep(ASK_AGAIN),
        }
    }
}

/// Opens a pidfd of a process. Returns none if the process has already ended.
fn open(process: u32) -> Option<OwnedFd> {
    // SAFETY: takes no pointers; nothing else owns the new descriptor.
    unsafe {
        let descriptor = libc::syscall(libc::SYS_pidfd_open, process as libc::pid_t, 0);
        (descriptor >= 0).then(|| OwnedFd::from_raw_fd(descriptor as i32))
    }
}

fn await_end(process: &OwnedFd) {
    let mut waited = libc::pollfd { fd: process.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: `waited` is a local, and the only entry.
    while unsafe { libc::poll(&mut waited, 1, -1) } < 0 {}
}
