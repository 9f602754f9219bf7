//! Exchanges reports with the other pool processes, notices who is silent, and reads the log when
//! another process has written to it. This has its own threads, because the store may be slow.

use crate::error::Error;
use crate::http::service::{Begun, Service};
use crate::liveness::attendance::{Event, Report};
use crate::log::store::StoreError;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Reports are under this prefix, each under its process's name.
const SAID: &str = "said/";
const LOG: &str = "log/";
/// How often to read the others' reports.
const LISTEN_EVERY: Duration = Duration::from_millis(250);
/// How often to write a report.
const SAY_EVERY: Duration = Duration::from_millis(500);
const REPORTS_MAX: usize = 128;
/// How long one watch for new entries lasts.
const WATCH: Duration = Duration::from_secs(10);
const AGAIN: Duration = Duration::from_millis(500);

/// Starts the threads; they run until the service is gone.
pub(crate) fn start(service: &Arc<Service>) {
    let listening = Arc::downgrade(service);
    std::thread::spawn(move || listen(&listening));
    if service.store().is_shared() {
        let watching = Arc::downgrade(service);
        std::thread::spawn(move || watch(&watching));
    }
}

fn listen(service: &Weak<Service>) {
    let (mut said_ms, mut begun) = (None, None);
    while let Some((service, clock)) =
        service.upgrade().map(|service| (service.clone(), service.clock()))
    {
        if !service.store().is_shared() || hear_others(&service, &mut said_ms) {
            judge(&service, &mut begun);
        }
        drop(service);
        clock.pause(LISTEN_EVERY);
    }
}

/// Whether the others' reports could be read. Writes a report when one is due.
fn hear_others(service: &Service, said_ms: &mut Option<u64>) -> bool {
    let now_ms = service.now_ms();
    let is_time = said_ms.is_none_or(|said_ms| now_ms - said_ms >= SAY_EVERY.as_millis() as u64);
    let exchanged = exchange(service, is_time);
    if is_time && exchanged.is_ok() {
        *said_ms = Some(now_ms);
    }
    service.set_apart(exchanged.as_ref().err().cloned().map(Error::from));
    exchanged.is_ok()
}

/// Starts the commands that follow from silence. It does not wait for them, since a slow store
/// would keep it from listening; it starts no others until they are done.
fn judge(service: &Service, begun: &mut Option<Begun>) {
    let now_ms = service.now_ms();
    let wishes = {
        let (state, mut attendance) = (service.state(), service.attendance());
        attendance.step(now_ms, Event::Listened);
        attendance.judge(now_ms, &state)
    };
    if !wishes.is_empty() && begun.as_mut().is_none_or(Begun::is_done) {
        *begun = service.begin_all(wishes);
    }
}

/// Writes a report of whom this process heard, and reads the others'.
fn exchange(service: &Service, is_to_speak: bool) -> Result<(), StoreError> {
    let now_ms = service.now_ms();
    if is_to_speak {
        let report = service.attendance().report(now_ms);
        let bytes = serde_json::to_vec(&report)
            .map_err(|error| StoreError(format!("a report cannot be written: {error}")))?;
        service.store().put(&format!("{SAID}{}", report.process), &bytes)?;
    }
    let reports = service.store().list(SAID, "", REPORTS_MAX)?;
    // Ages count from before the store answered: a slow store makes nobody older.
    let told = reports.iter().filter_map(|(_, bytes)| serde_json::from_slice::<Report>(bytes).ok());
    let gone = {
        let mut attendance = service.attendance();
        told.for_each(|report| attendance.step(now_ms, Event::Told(report)));
        attendance.gone(now_ms)
    };
    for process in gone {
        let key = format!("{SAID}{process}");
        service.store().trim(&key, &format!("{key}\0"))?;
    }
    Ok(())
}

fn watch(service: &Weak<Service>) {
    let mut seen = 0;
    while let Some((service, store)) =
        service.upgrade().map(|service| (Arc::downgrade(&service), service.shared_store()))
    {
        match store.watch(LOG, seen, WATCH) {
            Ok(version) if version > seen => {
                seen = version;
                if let Some(begun) =
                    service.upgrade().and_then(|service| service.begin_all(Vec::new()))
                {
                    begun.wait();
                }
            }
            Ok(_) => {}
            Err(_) => std::thread::sleep(AGAIN),
        }
    }
}
