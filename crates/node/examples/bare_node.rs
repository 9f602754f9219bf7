//! A node and nothing else: no pool, no TLS, and few settings. The tests of this crate talk to it.
//! The sanitizers check it, and for them it is built from a third of the code.
//!
//!     bare_node serve --listen HOST:PORT --gpu LIBRARY --cache FOLDER [--sessions N]
//!         [--oversubscribe BYTES]

use outhaul_node::accounting::accounts::Limits;
use outhaul_node::cell::Plan;
use outhaul_node::listener::node::Config;
use outhaul_node::listener::serve::serve;
use outhaul_node::worker::{self, Options};
use outhaul_share::Shares;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

/// Time for which sessions wait for another connection after one broke.
const GRACE: Duration = Duration::from_secs(120);
const SESSIONS_MAX: usize = 256;

fn main() {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    match words.first().and_then(|word| word.to_str()) {
        Some("serve") => listen(&words[1..]),
        Some("worker") if words.len() == 4 => {
            let rest = words[3].to_str().expect("options are text");
            worker::run(
                Options::of_words(words[1].clone().into(), words[2].clone().into(), rest)
                    .expect("a node's words"),
            )
        }
        _ => panic!(
            "serve --listen HOST:PORT --gpu LIBRARY --cache FOLDER [--sessions N] \
             [--oversubscribe BYTES]"
        ),
    }
}

fn listen(flags: &[OsString]) {
    let given =
        |name: &str| flags.chunks(2).find(|pair| pair[0] == *name).map(|pair| pair[1].clone());
    let value = |name: &str| given(name).unwrap_or_else(|| panic!("{name} is missing"));
    let number = |name: &str| -> Option<u64> {
        given(name)
            .map(|words| words.to_str().and_then(|text| text.parse().ok()).expect("a number"))
    };
    let config = Config {
        listen: value("--listen")
            .to_str()
            .and_then(|text| text.parse().ok())
            .expect("--listen takes an address"),
        library: value("--gpu").into(),
        cache: value("--cache").into(),
        sessions_max: number("--sessions").map_or(SESSIONS_MAX, |number| number as usize),
        leases: None,
        shares: Shares::default(),
        limits: Limits::of_each_session(None),
        kernel_limit: None,
        grace: GRACE,
        oversubscribe: number("--oversubscribe"),
        gpu_bytes: None,
        identity: None,
        meter: None,
        cell: cell(),
        drain: Arc::default(),
        keeping: Arc::default(),
    };
    let Err(error) = serve(config, |address| {
        println!("outhaul: serving a bare node on {address}");
        Ok(())
    });
    panic!("{error}");
}

/// Raises all walls but the one that the environment names: a sanitizer writes its findings to a
/// file.
fn cell() -> Plan {
    let without = std::env::var("BARE_NODE_NO_WALL").ok().map(|wall| wall.parse().expect("a wall"));
    Plan { without: without.into_iter().collect(), ..Plan::default() }
}
