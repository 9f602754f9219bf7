//! Obtains a lease for this process, or for the program that replaces it.

use crate::address::pool::PoolAddress;
use crate::error::Error;
use crate::notice::say;
use crate::pool::lease_keeper::{LeaseKeeper, NEWS_WAIT_MS};
use crate::pool::lease_options::LeaseOptions;
use crate::pool::patience::{ASK_AGAIN, retry};
use crate::pool::waiting::waiting;
use outhaul_pool::http::api::{LeaseRequest, LeaseState, LeaseView, Renewal, Unreachable};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::identity::secret::{key_hash, random_digits};
use outhaul_pool::model::lease::{Ask, End};

/// Maximum seconds of retries while the pool is unreachable. A queued request waits without limit.
const UNREACHABLE_SECONDS_MAX: u64 = 30;
/// Maximum number of failed placements before the program gives up.
const PLACES_MAX: u32 = 8;
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
            let (mut lease, keeper) =
                HeldLease::obtain(pool, &client, &options.ask(WATCHED_TTL_S))?;
            keeper.keep()?;
            match lease.be_served(&client, &serves) {
                Ok(()) => return Ok(lease),
                Err(Error::PoolClient(ClientError::Gone(reason)))
                    if attempt < PLACES_MAX && lease.has_ended_by(&client, End::NodeLost) =>
                {
                    say(format_args!("{reason}; asking the pool for another lease"));
                }
                Err(error) => return Err(error),
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Requests a lease and waits in the queue, with words on stderr. Also returns the process that
    /// ends the lease unless it is told something else.
    pub fn obtain(
        pool: &PoolAddress,
        client: &Client,
        ask: &Ask,
    ) -> Result<(HeldLease, LeaseKeeper), Error> {
        for attempt in 1.. {
            let mut lease = HeldLease::request(client, ask)?;
            let keeper = LeaseKeeper::start(pool, &lease.view.id, &lease.credential())?;
            match lease.wait(client) {
                Ok(()) => return Ok((lease, keeper)),
                // This process, or its way to the pool, was stopped for longer than the pool waits.
                Err(Error::PoolClient(ClientError::Gone(reason)))
                    if attempt < PLACES_MAX && lease.has_ended_by(client, End::Expired) =>
                {
                    say(format_args!("{reason}; asking again, at the end of the queue"));
                }
                Err(error) => return Err(error),
            }
        }
        unreachable!("the last attempt returns")
    }

    fn has_ended_by(&self, client: &Client, end: End) -> bool {
        let found = retry(client, UNREACHABLE_SECONDS_MAX, || client.end_of(&self.view.id));
        found.is_ok_and(|found| found == Some(end))
    }

    fn request(client: &Client, ask: &Ask) -> Result<HeldLease, Error> {
        let randomness =
            |error| Error::Io { doing: "cannot make a key for the lease".into(), error };
        let (id, key) = (
            random_digits(ID_DIGITS).map_err(randomness)?,
            random_digits(KEY_DIGITS).map_err(randomness)?,
        );
        let request = LeaseRequest { id, key_hash: key_hash(&key), holder: None, ask: ask.clone() };
        let view = retry(client, UNREACHABLE_SECONDS_MAX, || client.request(&request))?;
        Ok(HeldLease { view, key })
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
            say(format_args!("{error}; asking the pool for another place"));
            let report = Unreachable { fence, address };
            self.view = retry(client, UNREACHABLE_SECONDS_MAX, || {
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
            say("granted");
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
}

fn say_once(last_message: &mut Option<String>, words: String) {
    if last_message.as_ref() != Some(&words) {
        say(&words);
        *last_message = Some(words);
    }
}
