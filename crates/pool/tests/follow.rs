//! Clients that follow a pool's log: they get every entry, and their number has a limit.

#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod served;

use outhaul_pool::http::api::Quotas;
use outhaul_pool::http::client::Client;
use outhaul_pool::model::quota::Quota;
use served::{PATIENCE, pool, store, until};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

/// The number of streams that one address may have.
const STREAMS_MAX: usize = 64;

/// Starts to follow the log and returns the lines of the answer, headers included.
fn follow(pool: &Client) -> impl Iterator<Item = String> + use<> {
    let mut stream = TcpStream::connect(pool.url().trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = "GET /v1/events?follow=true HTTP/1.1\r\nhost: pool\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    BufReader::new(stream).lines().map(Result::unwrap)
}

fn set_quotas(pool: &Client, numbers: std::ops::Range<u32>) {
    for number in numbers {
        let quota = Quota { leases: Some(number), ..Quota::default() };
        pool.put::<Quotas>("/v1/quotas/user:bob", &quota).unwrap();
    }
}

#[test]
fn a_follower_gets_all_entries_in_order_and_new_ones_as_they_come() {
    let pool = pool(store(), "one");
    set_quotas(&pool, 0..50);
    let lines = follow(&pool);
    let mut indices = lines.filter_map(|line| {
        let index = line.strip_prefix("{\"index\":")?.split_once(',')?.0;
        Some(index.parse::<u32>().unwrap())
    });
    assert!(indices.by_ref().take(50).eq(1..=50));
    set_quotas(&pool, 50..60);
    assert!(indices.take(10).eq(51..=60));
}

#[test]
fn an_address_has_a_limit_of_followers_and_one_that_leaves_makes_room() {
    let pool = pool(store(), "one");
    set_quotas(&pool, 0..1);
    let status = |lines: &mut dyn Iterator<Item = String>| {
        lines.next().unwrap().split(' ').nth(1).unwrap().to_owned()
    };
    let mut readers: Vec<_> = (0..STREAMS_MAX).map(|_| follow(&pool)).collect();
    assert!(readers.iter_mut().all(|reader| status(reader) == "200"));
    let mut refused = follow(&pool);
    assert_eq!(status(&mut refused), "429");
    let why = refused.find(|line| line.contains("error")).unwrap();
    assert!(why.contains("64 streams") && why.contains("without `follow`"), "{why}");
    readers.pop();
    until("the place does not become free", || status(&mut follow(&pool)) == "200");
}
