//! Stands between a client and a node and delays what goes over each connection, each by times of its own, so that lanes overtake each other.

use crate::arguments::Relay;
use crate::random::Random;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

/// What is passed on at once.
const PIECE_BYTES: usize = 64 << 10;
/// Of a delay that is longer than usual.
const LONG: u64 = 10;

pub fn serve(relay: &Relay) -> Result<(), String> {
    let listener =
        TcpListener::bind(&relay.listen).map_err(|e| format!("{}: {e}", relay.listen))?;
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    println!("relaying to {} on {address}", relay.to);
    let mut seed = relay.seed;
    for client in listener.incoming() {
        let Ok(client) = client else { continue };
        let Ok(node) = TcpStream::connect(&relay.to) else { continue };
        let (Ok(back), Ok(forth)) = (client.try_clone(), node.try_clone()) else { continue };
        let delay_us = relay.delay_us;
        for (from, to) in [(client, node), (forth, back)] {
            seed = seed.wrapping_add(1);
            let random = Random::new(seed);
            std::thread::spawn(move || pass_on(from, to, random, delay_us));
        }
    }
    Ok(())
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, mut random: Random, delay_us: u64) {
    let _ = to.set_nodelay(true);
    let mut piece = vec![0; PIECE_BYTES];
    // Pieces of any size, so that frames arrive in parts.
    while let Ok(bytes @ 1..) = from.read(&mut piece[..]) {
        let delay = match random.below(100) {
            0..50 => 0,
            50..98 => random.next() % (delay_us + 1),
            _ => random.next() % (LONG * delay_us + 1),
        };
        if delay > 0 {
            std::thread::sleep(Duration::from_micros(delay));
        }
        if to.write_all(&piece[..bytes]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
    let _ = from.shutdown(Shutdown::Read);
}
