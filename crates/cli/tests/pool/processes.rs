//! Several pool processes over one etcd. Clients name them one by one, or reach them through a load
//! balancer. Meanwhile the test kills or stops some of them.

use crate::fixtures::installation::text;
use crate::fixtures::pool_processes::{self, Etcd, Pool, carry, signal, until};
use outhaul_pool::http::api::{LeaseState, LeaseView};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Longer than a request lives without its holder's heartbeat.
const STOPPED: Duration = Duration::from_secs(25);

fn waiting(leases: &[LeaseView]) -> usize {
    leases.iter().filter(|lease| matches!(lease.state, LeaseState::Waiting(_))).count()
}

/// Starts `count` programs that wait for the only GPU, which another program has. Returns that
/// program too.
fn queue(pool: &Pool, count: usize) -> (pool_processes::Program, Vec<Child>) {
    let player = pool.player();
    until("nothing runs", || pool.leases().len() - waiting(&pool.leases()) == 1);
    let start = || {
        let mut command = pool.command(&["run", "--", &pool.own(), "ls"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let programs = (0..count).map(|_| start()).collect();
    until("they do not wait", || waiting(&pool.leases()) == count);
    (player, programs)
}

/// Checks that all programs get a GPU in the end.
fn all_run(programs: Vec<Child>) {
    for program in programs {
        let output: Output = program.wait_with_output().unwrap();
        assert!(
            output.status.success() && text(&output.stdout).contains("Outhaul Software GPU"),
            "{output:?}"
        );
    }
}

#[test]
#[ignore = "needs etcd"]
fn where_several_are_named_one_that_lives_is_enough() {
    let etcd = Etcd::start();
    let (mut one, mut both) = (Pool::start_over(&etcd), Pool::start_over(&etcd));
    both.url = format!("{},{}", one.url, both.url);
    let node = both.node("n1", 1);
    let (mut player, programs) = queue(&both, 3);
    one.kill();
    // A new client gets an answer.
    assert!(both.command(&["health"]).status().unwrap().success());
    assert!(player.runs(), "the program ended");
    let before = both.leases();
    assert_eq!((before.len(), waiting(&before)), (4, 3));
    player.end();
    all_run(programs);
    until("a lease is left", || both.leases().is_empty());
    all_run(vec![
        both.command(&["run", "--", &both.own(), "ls"]).stdout(Stdio::piped()).spawn().unwrap(),
    ]);
    let doctor = both.command(&["doctor"]).output().unwrap();
    let said = text(&doctor.stdout);
    assert!(
        !doctor.status.success()
            && said.contains("WRONG  pool ")
            && said.contains("ok     node n1"),
        "{said}"
    );
    drop(node);
}

/// A load balancer: each connection goes to the next process. While that process is down, the
/// balancer itself answers in HTTP.
struct Balancer {
    url: String,
    /// The URLs of the processes that the balancer uses.
    behind: Arc<Mutex<Vec<String>>>,
}

impl Balancer {
    fn before(pools: &[&Pool]) -> Balancer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let behind =
            Arc::new(Mutex::new(pools.iter().map(|pool| pool.url.clone()).collect::<Vec<_>>()));
        let (count, known) = (AtomicUsize::new(0), behind.clone());
        std::thread::spawn(move || {
            for mut near in listener.incoming().map_while(Result::ok) {
                let behind = known.lock().unwrap().clone();
                let next = &behind[count.fetch_add(1, Ordering::Relaxed) % behind.len()];
                let Ok(far) = TcpStream::connect(next.strip_prefix("http://").unwrap()) else {
                    let words = "<html>nobody is there</html>";
                    let _ = write!(
                        near,
                        "HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\ncontent-length: \
                        {}\r\n\r\n{words}",
                        words.len()
                    );
                    // The balancer reads the request before it closes the connection, because a
                    // reset could discard the answer.
                    std::thread::spawn(move || std::io::copy(&mut near, &mut std::io::sink()));
                    continue;
                };
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    std::thread::spawn(move || carry(from, to, &AtomicBool::new(false)));
                }
            }
        });
        Balancer { url, behind }
    }

    /// Stops sending new connections to a process, as if a health check had failed. Existing
    /// connections remain.
    fn ask_no_more(&self, pool: &Pool) {
        self.behind.lock().unwrap().retain(|url| *url != pool.url);
    }
}

#[test]
#[ignore = "needs etcd"]
fn a_balancer_that_finds_no_process_is_not_the_pool() {
    let etcd = Etcd::start();
    let mut pools = [Pool::start_over(&etcd), Pool::start_over(&etcd)];
    let balancer = Balancer::before(&[&pools[0], &pools[1]]);
    let url = balancer.url.as_str();
    let _node = pools[0].node_by(url, "n1", 1);
    let direct = [0, 1].map(|n| std::mem::replace(&mut pools[n].url, url.to_owned()));
    let (mut player, mut programs) = queue(&pools[0], 3);
    pools.iter_mut().for_each(Pool::kill);
    programs.push(
        pools[0]
            .command(&["run", "--", &pools[0].own(), "ls"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    std::thread::sleep(Duration::from_secs(4));
    assert!(player.runs(), "the program ended");
    for (pool, direct) in pools.iter_mut().zip(direct) {
        pool.url = direct;
        pool.start_again();
    }
    player.end();
    all_run(programs);
}

#[test]
#[ignore = "needs etcd"]
fn a_waiting_client_of_a_stopped_process_is_served_by_another() {
    let etcd = Etcd::start();
    let (stopped, mut other) = (Pool::start_over(&etcd), Pool::start_over(&etcd));
    let balancer = Balancer::before(&[&stopped, &other]);
    let _node = other.node_by(&balancer.url, "n1", 1);
    other.url.clone_from(&balancer.url);
    let (mut player, programs) = queue(&other, 4);
    signal(stopped.id(), libc::SIGSTOP);
    balancer.ask_no_more(&stopped);
    std::thread::sleep(STOPPED);
    assert!(player.runs(), "the program ended");
    assert_eq!(waiting(&other.leases()), 4);
    player.end();
    all_run(programs);
}
