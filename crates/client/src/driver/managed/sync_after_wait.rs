//! The steps after a wait: receives what the device may have changed, as far as the wait covers it.

use crate::driver::state::driver;
use crate::managed::page_owner::Waited;
use crate::managed::registry::in_use;
use crate::managed::state::Asked;
use crate::objects::streams::stream::Stream;
use crate::session::{Session, Target};
use outhaul_abi::types::CUresult;
use outhaul_wire::codec::List;
use outhaul_wire::messages::WaitForChanges;

/// Receives changes after a successful wait. The device may not be idle, because another thread may
/// have submitted work meanwhile.
pub fn after_wait() -> Result<(), CUresult> {
    after(Waited::Something)
}

/// Receives changes after a wait for a stream's position. Marks the position as completed only
/// afterwards, because other threads then skip their own wait.
pub fn after_wait_for(stream: &Stream, position: u64) -> Result<(), CUresult> {
    after(Waited::Stream(stream, position))?;
    stream.note_completed(position);
    Ok(())
}

/// Waits for the work that `waited` describes, and returns the status. If there are changes to
/// query, one message waits and asks for them. Otherwise `ask` waits. Set `is_implicit` if the
/// program did not ask for the wait.
pub fn wait(
    target: Target,
    waited: Waited<'_>,
    is_implicit: bool,
    ask: impl FnOnce() -> Result<CUresult, CUresult>,
) -> Result<CUresult, CUresult> {
    let asked =
        if in_use() { driver()?.managed.lock().ask_with(target.session, waited) } else { None };
    let Some(asked) = asked else {
        let status = ask()?;
        if status == CUresult::SUCCESS {
            after(waited)?;
        }
        return Ok(status);
    };
    let (stream, whole) =
        if let Waited::Stream(stream, _) = waited { (stream.handle, false) } else { (0, true) };
    let regions = List(asked.starts.iter().map(|start| *start as u64).collect());
    let status = target.call_for_changes(
        &WaitForChanges { stream, whole, is_implicit, looks: regions },
        asked.number,
    );
    if status != Ok(CUresult::SUCCESS) {
        driver()?.managed.lock().forget_asked(target.session, asked.number);
        return status;
    }
    after_asking(waited, Some(&asked))?;
    status
}

fn after(waited: Waited<'_>) -> Result<(), CUresult> {
    if in_use() { after_asking(waited, None) } else { Ok(()) }
}

fn after_asking(waited: Waited<'_>, asked: Option<&Asked>) -> Result<(), CUresult> {
    let driver = driver()?;
    driver.managed.lock().take_changes(waited, asked)?;
    let reachable = |session: &&&Session| !session.deferred.is_lost() || driver.sessions.len() == 1;
    driver
        .sessions
        .iter()
        .filter(reachable)
        .try_for_each(|session| session.replicas.after_wait(session))
}

/// Runs a host callback. During the callback its stream counts as idle. The function must not wait
/// for commands, because they may be queued after the callback.
pub fn around_callback(session: &'static Session, callback: impl FnOnce()) {
    let before = after_wait();
    callback();
    if let Err(code) = before {
        session.deferred.note(code);
    }
    if in_use()
        && let Ok(driver) = driver()
    {
        // Ignores errors, because other threads report a lost session.
        let _ = driver.managed.send_before_return(session);
        let _ = session.replicas.send_changes(session);
    }
}
