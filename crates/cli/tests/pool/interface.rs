//! The pool's HTTP interface: its document, its metrics, and what nodes report through it.

use crate::fixtures::installation::{Installation, text};
use crate::fixtures::pool_processes::{Pool, long, until};
use outhaul_pool::http::api::{EnergyView, Heartbeat, LeaseState, Orders, Renewal};
use outhaul_pool::http::client::{Client, ClientError};
use outhaul_pool::http::server::OPENAPI;
use outhaul_pool::model::bill::Method;
use outhaul_pool::model::lease::{Amount, Ask};
use outhaul_pool::model::node::{Gpu, NodeFacts};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;

const GIB: u64 = 1 << 30;

fn facts(address: &str) -> NodeFacts {
    let gpu = Gpu { uuid: "GPU-1".into(), model: "test".into(), memory_bytes: GIB };
    NodeFacts {
        name: "n1".into(),
        address: address.into(),
        gpus: vec![gpu],
        link_gbps: 0,
        link_hops: 0,
        frame_curves: Vec::new(),
    }
}

#[test]
fn a_sign_of_life_waits_for_news_and_a_foreign_one_is_refused() {
    let pool = Pool::start();
    let client = pool.client();
    let orders: Orders = client.post("/v1/nodes", &facts("a:1")).unwrap();
    let beat = |joined, wait_ms| {
        client.heartbeat("n1", &Heartbeat { joined, wait_ms, ..Heartbeat::default() })
    };
    assert_eq!(beat(orders.joined, 0).unwrap().leases, Vec::new());
    assert!(matches!(beat(orders.joined + 1, 0), Err(ClientError::Gone(_))), "of another joining");
    assert!(
        matches!(client.heartbeat("n2", &Heartbeat::default()), Err(ClientError::Gone(_))),
        "of no node"
    );
    let impostor = client.post::<Orders>("/v1/nodes", &facts("b:1")).unwrap_err().to_string();
    assert!(impostor.contains("choose another name"), "{impostor}");

    let asked = std::thread::scope(|scope| {
        let news = scope.spawn(|| beat(orders.joined, 20_000).unwrap().leases);
        let ask = Ask { memory: Some(Amount::Bytes(GIB / 4)), ..Ask::default() };
        pool.lease("x", ask);
        news.join().unwrap()
    });
    assert_eq!(
        (asked.len(), asked[0].parts[0].memory_bytes, asked[0].parts[0].time_ns),
        (1, GIB / 4, 250_000_000)
    );
    let seen = Some(LeaseState::Held(asked[0].fence));
    let ended = std::thread::scope(|scope| {
        let news = scope.spawn(|| client.renew("x", &Renewal { seen, wait_ms: 20_000 }));
        Client::new(&pool.url, "bob").release("x").unwrap();
        news.join().unwrap()
    });
    assert!(matches!(&ended, Err(ClientError::Gone(why)) if why.contains("killed")), "{ended:?}");
}

#[test]
fn the_interface_agrees_with_its_document() {
    let pool = Pool::start();
    let document: serde_json::Value = serde_json::from_str(OPENAPI).unwrap();
    assert_eq!(pool.client().get::<serde_json::Value>("/v1/openapi.json").unwrap(), document);
    for (path, methods) in document["paths"].as_object().unwrap() {
        if ["/metrics", "/healthz", "/readyz", "/v1/backup"].contains(&path.as_str()) {
            continue;
        }
        let path =
            path.replace("{id}", "none").replace("{node}", "none").replace("{subject}", "none");
        // The pool accepts every value that the document allows for a parameter.
        for parameter in methods["get"]["parameters"].as_array().into_iter().flatten() {
            for value in parameter["schema"]["enum"].as_array().into_iter().flatten() {
                let asked = format!(
                    "{path}?{}={}",
                    parameter["name"].as_str().unwrap(),
                    value.as_str().unwrap()
                );
                pool.client().get::<serde_json::Value>(&asked).unwrap();
            }
        }
        for method in methods.as_object().unwrap().keys() {
            let client = pool.client();
            let none = serde_json::json!({});
            let answer: Result<serde_json::Value, ClientError> = match method.as_str() {
                "get" => client.get(&path),
                "post" => client.post(&path, &none),
                "put" => client.put(&path, &none),
                "delete" => client.delete(&path),
                other => panic!("{other}"),
            };
            // The pool has this path and method, whatever it answers.
            let said = answer.map_or_else(|error| error.to_string(), |_| String::new());
            assert!(
                !said.contains("no such path") && !said.contains("not a pool of this release"),
                "{method} {path}: {said}"
            );
        }
    }
    let nonsense = pool.client().get::<serde_json::Value>("/v2").unwrap_err().to_string();
    assert!(nonsense.contains("openapi.json"), "{nonsense}");
    for (body, words) in [
        ("{\"gpus\": 1}", "unknown field"),
        ("[", "the request's body"),
        ("{\"id\": 5}", "expected a string"),
    ] {
        let refused = post_raw(&pool.url, body);
        assert!(refused.contains("422") && refused.contains(words), "{refused}");
    }
}

/// Sends `body` as a request for a lease, and returns the answer.
fn post_raw(url: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    let head = "POST /v1/leases HTTP/1.1\r\nhost: pool\r\nconnection: close\r\n";
    write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn metrics_have_a_series_for_each_gpu_and_each_lease() {
    let pool = Pool::start();
    let _node = pool.node("n1", 2);
    pool.lease("quarter", long(Ask { memory: Some(Amount::Percent(25)), ..Ask::default() }));
    let metrics = pool.page("/metrics");
    let value = |series: &str| {
        metrics
            .lines()
            .filter(|line| line.starts_with(series))
            .map(|line| line.rsplit(' ').next().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(value("outhaul_gpu_memory_bytes{node=\"n1\"").len(), 2, "{metrics}");
    let mut free = value("outhaul_gpu_time_free_ratio{");
    free.sort_unstable();
    assert_eq!(
        (free, value("outhaul_lease_gpus{lease=\"quarter\",user=\"alice\"}")),
        (vec!["0.75", "1"], vec!["0.25"]),
        "{metrics}"
    );
    assert_eq!(
        (value("outhaul_pool_healthy"), value("outhaul_requests_waiting")),
        (vec!["1"], vec!["0"]),
        "{metrics}"
    );
    // The output describes each family of metrics once.
    assert_eq!(metrics.matches("# TYPE outhaul_gpu_memory_bytes gauge").count(), 1);
    let dashboard = include_str!("../../../../docs/dashboards/pool.json");
    let dashboard: serde_json::Value = serde_json::from_str(dashboard).unwrap();
    let targets = dashboard["panels"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|panel| panel["targets"].as_array().unwrap());
    let expressions: Vec<&str> = targets.map(|target| target["expr"].as_str().unwrap()).collect();
    let words = expressions
        .iter()
        .flat_map(|expression| expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    let asked: BTreeSet<&str> = words.filter(|word| word.starts_with("outhaul_")).collect();
    let described =
        metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    assert_eq!(
        asked,
        described.collect(),
        "the dashboard asks for what is there, and for all of it"
    );
}

#[test]
fn nothing_listens_beyond_the_machine_by_accident() {
    let refused = Installation::bare().output(&["pool", "serve", "--listen", "0.0.0.0:0"]);
    assert!(
        !refused.status.success() && text(&refused.stderr).contains("--insecure"),
        "{refused:?}"
    );
}

#[test]
fn a_leases_usage_is_reported_during_and_after_it_and_adds_up() {
    let pool = Pool::start();
    let mut node = pool.node("n1", 2);
    let usage = |client: &Client| client.get::<EnergyView>("/v1/energy").unwrap();
    until("no usage of the boards is reported", || {
        usage(&pool.client()).gpus.iter().filter(|gpu| gpu.total_mj > 0).count() == 2
    });
    node.lease = pool.lease("job", long(Ask::default()));
    let mut session = node.session();
    session.create_context();
    assert!(session.answers());
    until("the lease has no part of what is idle", || {
        usage(&pool.client())
            .leases
            .iter()
            .any(|bill| bill.items.iter().any(|item| item.idle_mj > 0))
    });
    let metrics = pool.page("/metrics");
    let series = [
        "outhaul_gpu_busy_ratio{node=\"n1\"",
        "outhaul_lease_gpu_seconds_total{lease=\"job\"}",
        "outhaul_lease_joules_total{lease=\"job\"}",
    ];
    assert!(series.iter().all(|series| metrics.contains(series)), "{metrics}");
    for arguments in [&["top", "--once", "--pool", &pool.url][..], &["top", "--pool", "--once"]] {
        let top = text(&pool.output(arguments).stdout);
        assert!(top.contains("2 GPUs, 1 lease,") && top.contains("job"), "{top}");
    }
    pool.client().release("job").unwrap();
    let settled = || {
        usage(&pool.client())
            .leases
            .into_iter()
            .find(|bill| bill.to_ms.is_some() && !bill.items.is_empty())
    };
    until("the lease is not settled", || settled().is_some());
    let bill = settled().unwrap();
    assert_eq!(
        (bill.id.as_str(), bill.items.len(), bill.items[0].method),
        ("job", 1, Some(Method::Synthetic))
    );
    // The settled lease's energy and the unleased energy together are all energy that the GPUs
    // drew.
    let all = usage(&pool.client());
    let total: u64 = all.gpus.iter().map(|gpu| gpu.total_mj).sum();
    let split: u64 = all.gpus.iter().map(|gpu| gpu.unleased_mj).sum::<u64>()
        + bill.items.iter().map(|i| i.active_mj + i.idle_mj).sum::<u64>();
    assert_eq!(split, total);
    let shown = text(&pool.output(&["energy"]).stdout);
    assert!(
        shown.contains("job") && shown.contains("synthetic") && shown.contains("UNLEASED"),
        "{shown}"
    );
}
