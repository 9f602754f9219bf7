use super::handshake::NODE_DOMAIN;
use super::*;
use crate::connect::connection::Connection;
use crate::lanes::lane::Lane;
use crate::lanes::tcp;
use crate::network::line::Grace;
use crate::os::deadline::Deadline;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// A pool's authority.
pub struct Pool(CertifiedIssuer<'static, KeyPair>);

impl Pool {
    /// Makes an authority.
    pub fn new() -> Pool {
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Pool(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn identity(&self, params: CertificateParams) -> Identity {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        Identity::new(&certificate.pem(), &key.serialize_pem()).unwrap()
    }

    /// Certifies a node.
    pub fn node(&self, name: &str) -> Identity {
        self.identity(CertificateParams::new(vec![format!("{name}{NODE_DOMAIN}")]).unwrap())
    }

    /// Returns the authority's certificate.
    pub fn ca_pem(&self) -> String {
        self.0.pem()
    }

    fn trust(&self) -> Trust {
        Trust::new(self.ca_pem().as_bytes()).unwrap()
    }
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

/// Performs a handshake, and returns the client's and the node's results.
fn meet(identity: Identity, trust: &Trust, name: &str) -> (io::Result<Tls>, io::Result<Tls>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let dialled = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (accepted, _) = listener.accept().unwrap();
    let node = thread::spawn(move || {
        answer(&accepted, &identity, soon()).map(|keys| Tls::new(accepted, keys))
    });
    let client = call(&dialled, trust, name, soon()).map(|keys| Tls::new(dialled, keys));
    (client, node.join().unwrap())
}

fn lane(tls: Tls) -> Lane {
    tcp::lane(tls, Grace::NONE, Arc::default())
}

fn lanes(client: Tls, node: Tls) -> (Lane, Lane) {
    (lane(client), lane(node))
}

#[test]
fn bytes_pass_in_any_pieces_and_both_ways_at_once() {
    let pool = Pool::new();
    let (client, node) = meet(pool.node("gpu7"), &pool.trust(), "gpu7");
    let (mut client, mut node) = lanes(client.unwrap(), node.unwrap());
    let data: Vec<u8> = (0..3_000_000usize).map(|i| (i % 251) as u8).collect();
    thread::scope(|scope| {
        for writer in [&mut client.writer, &mut node.writer] {
            let data = &data;
            scope.spawn(move || {
                let (head, rest) = data.split_at(100_001);
                for piece in head.chunks(17) {
                    writer.write(&[piece]).unwrap();
                }
                let (one, other) = rest.split_at(1_234_567);
                writer.write(&[&[], one, &[], &other[..1], &other[1..]]).unwrap();
            });
        }
        for reader in [&mut client.reader, &mut node.reader] {
            let data = &data;
            scope.spawn(move || {
                let mut seen = reader.body(5).unwrap();
                seen.extend(reader.body(700_000).unwrap());
                seen.extend(reader.body(data.len() - seen.len()).unwrap());
                assert!(seen == *data);
            });
        }
    });
    drop(client);
    assert!(matches!(node.reader.header(), Err(crate::LaneError::Closed)));
}

#[test]
fn a_node_proves_its_name_and_its_pool() {
    let (pool, other) = (Pool::new(), Pool::new());
    let (client, node) = meet(pool.node("gpu8"), &pool.trust(), "gpu7");
    assert!(client.is_err() && node.is_err(), "another node of the pool");
    let (client, _) = meet(other.node("gpu7"), &pool.trust(), "gpu7");
    let text = client.err().unwrap().to_string();
    assert!(text.contains("not of this pool"), "{text}");
    let mut expired = CertificateParams::new(vec![format!("gpu7{NODE_DOMAIN}")]).unwrap();
    (expired.not_before, expired.not_after) =
        (rcgen::date_time_ymd(2000, 1, 1), rcgen::date_time_ymd(2001, 1, 1));
    let (client, _) = meet(pool.identity(expired), &pool.trust(), "gpu7");
    let text = client.err().unwrap().to_string();
    assert!(text.contains("clock"), "{text}");
    assert!(meet(pool.node("gpu7"), &pool.trust(), "not a name").0.is_err());
}

#[test]
fn another_process_goes_on_where_the_hello_ended() {
    let pool = Pool::new();
    let (client, node) = meet(pool.node("gpu7"), &pool.trust(), "gpu7");
    let (mut client, mut node) = (client.unwrap(), node.unwrap());
    client.write_all(b"hello").unwrap();
    // The node does not read later data with the hello.
    client.write_all(b"and more").unwrap();
    let mut hello = [0; 5];
    node.read_exact(&mut hello).unwrap();
    node.write_down().unwrap();
    let keys = node.keys.take().unwrap();
    let mut later = Tls::read_down(node.stream.try_clone().unwrap(), keys).unwrap();
    later.write_all(b"welcome").unwrap();
    let mut welcome = [0; 7];
    client.read_exact(&mut welcome).unwrap();
    assert_eq!(&welcome, b"welcome");
    let mut more = [0; 8];
    later.read_exact(&mut more).unwrap();
    assert_eq!(&more, b"and more");
    // The node rejects a hello with more data in its record.
    let (client, node) = meet(pool.node("gpu7"), &pool.trust(), "gpu7");
    let (mut client, mut node) = (client.unwrap(), node.unwrap());
    client.write_all(b"hello!").unwrap();
    node.read_exact(&mut hello).unwrap();
    assert!(node.write_down().is_err());
}

#[test]
fn a_peer_without_tls_is_refused() {
    let pool = Pool::new();
    for bytes in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        &[22, 3, 1, 0xFF, 0xFF],
        &[22, 3, 1, 0, 0],
        &[22, 3, 1, 0, 4, 1, 0, 0, 0],
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut stranger = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        stranger.write_all(bytes).unwrap();
        stranger.shutdown(std::net::Shutdown::Write).unwrap();
        let mut connection = Connection::Tcp(listener.accept().unwrap().0);
        assert!(connection.accept_hello(Some(&pool.node("gpu7"))).is_err());
    }
}

/// Sends bytes one at a time, each before a read would time out, until the other side stops
/// reading.
fn drip(mut into: TcpStream, bytes: Vec<u8>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        for byte in bytes {
            if into.write_all(&[byte]).is_err() {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
    })
}

#[test]
fn a_hello_over_tls_that_drips_in_is_no_hello() {
    let pool = Pool::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let dripping = drip(
        TcpStream::connect(listener.local_addr().unwrap()).unwrap(),
        [&[22, 3, 1, 0x10, 0][..], &[0; 200]].concat(),
    );
    let mut connection = Connection::Tcp(listener.accept().unwrap().0);
    let text = connection.accept_hello(Some(&pool.node("gpu7"))).err().unwrap().to_string();
    assert!(text.contains("takes too long"), "{text}");
    drop(connection);
    dripping.join().unwrap();
    // The client sends bytes too slowly inside one record, after a handshake in time.
    let (client, node) = meet(pool.node("gpu7"), &pool.trust(), "gpu7");
    let mut node = node.unwrap();
    let dripping = drip(
        client.unwrap().stream.try_clone().unwrap(),
        [&[23, 3, 3, 0x10, 0][..], &[0; 200]].concat(),
    );
    let text = node
        .read_until(Deadline::after(Duration::from_millis(500)), &mut [0; 16])
        .err()
        .unwrap()
        .to_string();
    assert!(text.contains("takes too long"), "{text}");
    drop(node);
    dripping.join().unwrap();
}
