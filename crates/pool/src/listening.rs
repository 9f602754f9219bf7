//! A pool process listens: it says to the other processes whom it heard, hears whom they heard,
//! notices who is silent, and looks when another process has written something. Threads of its own
//! do so, since the store may keep them waiting.

use crate::attendance::{Event, Report};
use crate::error::Error;
use crate::service::Service;
use crate::store::StoreError;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// Where reports lie, each under its process's name.
const SAID: &str = "said/";
const LOG: &str = "log/";
/// How often it listens.
const LISTEN_EVERY: Duration = Duration::from_millis(250);
/// How often it says whom it heard.
const SAY_EVERY: Duration = Duration::from_millis(500);
const REPORTS_MAX: usize = 128;
/// How long one question for news lasts.
const WATCH: Duration = Duration::from_secs(10);
const AGAIN: Duration = Duration::from_millis(500);

/// Begins to, until the service is gone.
pub(crate) fn start(service: &Arc<Service>) {
    let listening = Arc::downgrade(service);
    std::thread::spawn(move || listen(&listening));
    if service.store().is_shared() {
        let watching = Arc::downgrade(service);
        std::thread::spawn(move || watch(&watching));
    }
}

fn listen(service: &Weak<Service>) {
    let mut said = None;
    while let Some(service) = service.upgrade() {
        if service.store().is_shared() {
            let is_time = said.is_none_or(|said: Instant| said.elapsed() >= SAY_EVERY);
            let exchanged = exchange(&service, is_time);
            said = if is_time && exchanged.is_ok() { Some(Instant::now()) } else { said };
            service.set_apart(exchanged.as_ref().err().cloned().map(Error::from));
            if exchanged.is_err() {
                drop(service);
                std::thread::sleep(LISTEN_EVERY);
                continue;
            }
        }
        let now_ms = service.now_ms();
        let wishes = {
            let (state, mut attendance) = (service.state(), service.attendance());
            attendance.step(now_ms, Event::Listened);
            attendance.judge(now_ms, &state)
        };
        if !wishes.is_empty() {
            service.carry_out_all(wishes);
        }
        drop(service);
        std::thread::sleep(LISTEN_EVERY);
    }
}

/// Says whom this process heard, and hears the others.
fn exchange(service: &Service, is_to_speak: bool) -> Result<(), StoreError> {
    let now_ms = service.now_ms();
    if is_to_speak {
        let report = service.attendance().report(now_ms);
        let bytes = serde_json::to_vec(&report)
            .map_err(|error| StoreError(format!("a report cannot be written: {error}")))?;
        service.store().put(&format!("{SAID}{}", report.process), &bytes)?;
    }
    let reports = service.store().list(SAID, "", REPORTS_MAX)?;
    // What was heard while the store took its time is no older for that.
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
                service.upgrade().into_iter().for_each(|service| service.carry_out_all(Vec::new()));
            }
            Ok(_) => {}
            Err(_) => std::thread::sleep(AGAIN),
        }
    }
}
