//! Tests of one session's turns on the software GPU; the test plays the listener. The software GPU
//! is the library that `make build` put next to the tests.

use super::*;
use crate::accounting::ledger::{Allowance, Ledger};
use crate::worker::memory::residency::Holdings;
use outhaul_share::{Action, SessionId, TURN_TIMES_MOVED, Term};
use outhaul_transport::LaneWriter;
use std::path::PathBuf;

const MIB: u64 = 1 << 20;

/// A device's ordinal, and one of its engines.
type At = (u8, Engine);

/// A session and the listener's end of its socket.
struct Stage {
    turns: Turns,
    listener: SchedulerChannel,
}

fn driver() -> Arc<Driver> {
    let tests = std::env::current_exe().unwrap();
    let path: PathBuf = tests.ancestors().nth(2).unwrap().join("libouthaul_softgpu.so");
    assert!(path.exists(), "{} is missing: run `make build` first", path.display());
    let driver = Arc::new(Driver::open(&path).unwrap());
    // SAFETY: takes no pointers.
    unsafe { driver.cuInit(0) }.ok().unwrap();
    driver
}

impl Stage {
    /// Creates a session with two devices. Also returns the devices' contexts.
    fn new(memory_may_move: bool) -> (Stage, [CUcontext; 2]) {
        let driver = driver();
        let mut contexts = [CUcontext::NULL; 2];
        // SAFETY: the out-pointers are locals.
        contexts
            .iter_mut()
            .for_each(|context| unsafe { driver.cuCtxCreate_v2(context, 0, 0) }.ok().unwrap());
        let (control, listener) = SchedulerChannel::pair().unwrap();
        listener.set_read_timeout(Duration::from_secs(10));
        // The session ends the process, and so the other tests too, when the listener's end closes.
        std::mem::forget(listener.clone());
        let residency = |device| {
            let allowance = || Allowance::new(Arc::new(Ledger::create().unwrap().0), 0, 0);
            let holdings =
                Holdings { movable: allowance(), resident: allowance(), host: allowance() };
            Arc::new(Residency::new(
                driver.clone(),
                control.clone(),
                device,
                2 * MIB,
                32 * MIB,
                holdings,
            ))
        };
        let residencies = (0..2).filter(|_| memory_may_move).map(residency).collect();
        let outbound = Arc::new(Outbound::new(LaneWriter::new(Box::new(std::io::sink())), 0));
        let mut turns = Turns::start(driver.clone(), control, &[7, 8], outbound, residencies);
        contexts.iter().zip(0..).for_each(|(context, device)| turns.know_context(*context, device));
        (Stage { turns, listener }, contexts)
    }
}

/// Plays the listener: the session must send all messages in `said` next. They may come in any
/// order and with others in between.
fn hear<const N: usize>(listener: &SchedulerChannel, said: [(NoteKind, At); N]) {
    let mut missing = said.to_vec();
    while !missing.is_empty() {
        let note = listener
            .receive()
            .unwrap_or_else(|error| panic!("the session does not say {missing:?}: {error}"));
        missing.retain(|expected| *expected != (note.kind, (note.device, note.engine)));
    }
}

/// The length of a turn that no test waits for: a busy machine may run a program's thread late,
/// and a turn that is up before is one that the session asks for again.
const LONG_TURN_NS: u64 = 3_600_000_000_000;

fn grant(listener: &SchedulerChannel, at: At) {
    grant_turn(listener, at, LONG_TURN_NS, false);
}

fn grant_turn(listener: &SchedulerChannel, (device, engine): At, length_ns: u64, keep: bool) {
    let term = Term::Window { window_ns: 2_000_000 };
    let action = Action::Grant { session: SessionId(1), engine, term, length_ns, keep };
    listener.send(&[Note::of(action, device).unwrap().1]).unwrap();
}

/// Grants a turn for kernels on device 0 that the session keeps, although there is another session.
fn keep_turn_beside_another(listener: &SchedulerChannel, slot: &EngineSlot) {
    grant_turn(listener, (0, Engine::Compute), LONG_TURN_NS, true);
    listener.send(&[Note::new(NoteKind::Sessions, 0, Engine::Compute, 2)]).unwrap();
    while slot.sessions() < 2 {
        std::thread::yield_now();
    }
}

fn enter(turns: &mut Turns, context: CUcontext, device: u8, engine: Engine) -> Entry {
    turns.enter_context(context);
    turns.enter(
        device,
        engine,
        || Some(Work { stream: 0, key: 1, guess_ns: Some(1000) }),
        |_| Some(CUstream::NULL),
    )
}

#[test]
fn a_session_that_waits_for_one_devices_turn_gives_up_the_others() {
    let (Stage { mut turns, listener }, [first, second]) = Stage::new(false);
    let program = std::thread::spawn(move || {
        let entry = enter(&mut turns, second, 1, Engine::Compute);
        turns.leave(entry, 0, || Some(CUstream::NULL));
        // More commands are queued already, so the session has not noticed that its work is
        // finished.
        let entry = enter(&mut turns, first, 0, Engine::Compute);
        turns.leave(entry, 0, || Some(CUstream::NULL));
    });
    let [there, here] = [(1, Engine::Compute), (0, Engine::Compute)];
    hear(&listener, [(NoteKind::Wants, there)]);
    grant(&listener, there);
    // Another session may have the turn here and wait for the one there, so this session must
    // yield.
    hear(&listener, [(NoteKind::Wants, here), (NoteKind::Yielded, there)]);
    grant(&listener, here);
    program.join().unwrap();
}

#[test]
fn a_turn_that_others_want_during_a_submission_is_passed_on_after_it() {
    let (Stage { mut turns, listener }, [context, _]) = Stage::new(false);
    let kernels = (0, Engine::Compute);
    let submitted = Arc::new(AtomicBool::new(false));
    let (sender, over) = (listener.clone(), submitted.clone());
    let program = std::thread::spawn(move || {
        let entry = enter(&mut turns, context, 0, Engine::Compute);
        sender.send(&[Note::new(NoteKind::Contended, 0, Engine::Compute, 0)]).unwrap();
        // Long enough for a thread to find, wrongly, that the turn has no work.
        std::thread::sleep(Duration::from_millis(50));
        over.store(true, SeqCst);
        turns.leave(entry, 0, || Some(CUstream::NULL));
        turns.rest();
        turns
    });
    hear(&listener, [(NoteKind::Wants, kernels)]);
    grant_turn(&listener, kernels, LONG_TURN_NS, true);
    hear(&listener, [(NoteKind::Yielded, kernels)]);
    assert!(submitted.load(SeqCst), "the turn is given up before its work is there");
    drop(program.join().unwrap());
}

#[test]
fn another_listener_gets_all_reports_again_and_no_turn_continues() {
    let (Stage { mut turns, listener }, [context, other]) = Stage::new(false);
    let shared = turns.shared.clone();
    let (enters, entered) = channel();
    let program = std::thread::spawn(move || {
        // The session keeps one turn, does not keep another, and waits for a third.
        for (context, device) in [(context, 0), (other, 1)] {
            let entry = enter(&mut turns, context, device, Engine::Compute);
            turns.leave(entry, 0, || Some(CUstream::NULL));
        }
        enters.send(()).unwrap();
        let entry = enter(&mut turns, other, 1, Engine::CopyToHost);
        turns.leave(entry, 0, || Some(CUstream::NULL));
        let entry = enter(&mut turns, context, 0, Engine::Compute);
        turns.leave(entry, 0, || Some(CUstream::NULL));
        turns.finish();
    });
    let [here, there, back] = [(0, Engine::Compute), (1, Engine::Compute), (1, Engine::CopyToHost)];
    hear(&listener, [(NoteKind::Wants, here)]);
    grant_turn(&listener, here, LONG_TURN_NS, true);
    hear(&listener, [(NoteKind::Wants, there)]);
    grant(&listener, there);
    entered.recv().unwrap();
    hear(&listener, [(NoteKind::Wants, back)]);
    // Charges 5 s to the session; its own account then contains that time.
    {
        let (mut held, now_ns) = (shared.slots[0].lock(), shared.now_ns());
        held.seat.obey(now_ns, Order::Contended);
        held.seat.measured(5_000_000_000, 1);
        held.seat.obey(now_ns, Order::Keep);
        held.seat.watched();
    }
    listener.begin_anew().unwrap();
    let mut said: Vec<Note> = Vec::new();
    while said.last().is_none_or(|note| note.kind != NoteKind::Wants) {
        said.push(listener.receive().unwrap());
    }
    let devices: Vec<_> = said
        .iter()
        .filter(|note| note.kind == NoteKind::Device)
        .map(|note| (note.device, note.value))
        .collect();
    assert_eq!(devices, [(0, 7), (1, 8)]);
    assert!(
        said.iter().any(|note| note.kind == NoteKind::Used
            && note.device == 0
            && note.value >= 5_000_000_000),
        "{said:?}"
    );
    let last = said.last().unwrap();
    assert_eq!((last.device, last.engine), back, "it asks again for what it waits for");
    assert!(
        shared.slots.iter().all(|slot| !slot.lock().seat.has_turn() && !slot.free.load(SeqCst))
    );
    grant(&listener, back);
    // The session must also ask again for the turn that it kept.
    hear(&listener, [(NoteKind::Wants, here)]);
    grant(&listener, here);
    program.join().unwrap();
}

#[test]
fn a_session_does_not_wait_for_itself_when_copies_begin_to_take_turns_with_kernels() {
    let (Stage { mut turns, listener }, [context, _]) = Stage::new(false);
    let sender = listener.clone();
    let program = std::thread::spawn(move || {
        let entry = enter(&mut turns, context, 0, Engine::CopyToDevice);
        sender.send(&[Note::plain(NoteKind::Joint, 1)]).unwrap();
        while !turns.shared.joint.load(SeqCst) {
            std::thread::yield_now();
        }
        turns.leave(entry, 0, || Some(CUstream::NULL));
        let entry = turns.hold(0);
        turns.leave(entry, 0, || None);
    });
    let [copies, kernels] = [(0, Engine::CopyToDevice), (0, Engine::Compute)];
    hear(&listener, [(NoteKind::Wants, copies)]);
    grant(&listener, copies);
    // By now the arbiter has one queue for copies and kernels.
    hear(&listener, [(NoteKind::Wants, kernels), (NoteKind::Yielded, copies)]);
    grant(&listener, kernels);
    program.join().unwrap();
}

#[test]
fn copies_take_turns_with_kernels_from_the_first_one_if_memory_may_move() {
    let (Stage { mut turns, listener }, [context, _]) = Stage::new(true);
    let program = std::thread::spawn(move || {
        let entry = enter(&mut turns, context, 0, Engine::CopyToDevice);
        turns.leave(entry, 0, || Some(CUstream::NULL));
    });
    // The listener has not yet sent a message that copies and kernels take turns together.
    let kernels = (0, Engine::Compute);
    hear(&listener, [(NoteKind::Wants, kernels)]);
    grant(&listener, kernels);
    program.join().unwrap();
}

#[test]
fn a_turn_that_expires_while_memory_comes_back_lasts_its_full_length() {
    let (Stage { mut turns, listener }, [context, _]) = Stage::new(true);
    let (moved, kernels) = (Duration::from_millis(50), (0, Engine::Compute));
    let over = Arc::new(AtomicBool::new(false));
    let is_over = over.clone();
    let (enters, entered) = channel();
    let program = std::thread::spawn(move || {
        // SAFETY: the context lives as long as the process.
        unsafe { turns.shared.driver.cuCtxSetCurrent(context) }.ok().unwrap();
        let entry = enter(&mut turns, context, 0, Engine::Compute);
        enters.send(()).unwrap();
        while !turns.shared.slots[0].lock().seat.is_draining() {
            std::thread::yield_now();
        }
        let brought_at = Instant::now();
        turns.note_move(0, entry, || None, moved);
        turns.leave(entry, 0, || Some(CUstream::NULL));
        turns.rest();
        // The session admits its commands again and again, until it has to ask for a turn.
        while !is_over.load(SeqCst) {
            let entry = enter(&mut turns, context, 0, Engine::Compute);
            turns.leave(entry, 0, || Some(CUstream::NULL));
            turns.rest();
        }
        brought_at.elapsed()
    });
    hear(&listener, [(NoteKind::Wants, kernels)]);
    grant_turn(&listener, kernels, 8_000_000, false);
    entered.recv().unwrap();
    listener
        .send(&[Note::of(Action::Drain { session: SessionId(1), engine: Engine::Compute }, 0)
            .unwrap()
            .1])
        .unwrap();
    hear(&listener, [(NoteKind::Yielded, kernels), (NoteKind::Wants, kernels)]);
    over.store(true, SeqCst);
    grant(&listener, kernels);
    assert!(program.join().unwrap() >= moved * TURN_TIMES_MOVED);
}

/// Blocks a stream until the flag is set.
unsafe extern "C" fn hold(released: *mut std::ffi::c_void) {
    // SAFETY: `released` points to a flag that is never freed.
    let released = unsafe { &*released.cast::<AtomicBool>() };
    while !released.load(SeqCst) {
        std::thread::yield_now();
    }
}

#[test]
fn a_session_beside_others_submits_work_behind_work_that_waits_for_the_program() {
    let (Stage { mut turns, listener }, [context, _]) = Stage::new(false);
    let (shared, released) = (turns.shared.clone(), &*Box::leak(Box::new(AtomicBool::new(false))));
    keep_turn_beside_another(&listener, &shared.slots[0]);
    // SAFETY: the context lives as long as the process.
    unsafe { shared.driver.cuCtxSetCurrent(context) }.ok().unwrap();
    enter(&mut turns, context, 0, Engine::Compute);
    // SAFETY: the flag is never freed.
    unsafe {
        let flag = std::ptr::from_ref(released).cast_mut().cast();
        shared.driver.cuLaunchHostFunc(CUstream::NULL, Some(hold), flag)
    }
    .ok()
    .unwrap();
    turns.leave(Entry::Free { slot: 0 }, 1, || Some(CUstream::NULL));
    turns.rest();
    std::thread::sleep(SAMPLE);
    // The program releases its work only after this command, which must not wait for that work.
    let entry = enter(&mut turns, context, 0, Engine::Compute);
    assert!(matches!(entry, Entry::Free { .. }));
    assert!(shared.slots[0].lock().outlasted.is_some(), "the command had nothing to wait for");
    released.store(true, SeqCst);
}

#[test]
fn a_session_that_waits_for_room_stays_in_its_own_context() {
    let (Stage { mut turns, listener }, [first, second]) = Stage::new(false);
    let (shared, released) = (turns.shared.clone(), &*Box::leak(Box::new(AtomicBool::new(false))));
    let driver = shared.driver.clone();
    keep_turn_beside_another(&listener, &shared.slots[0]);
    let (mut stream, mut current) = (CUstream::NULL, CUcontext::NULL);
    // SAFETY: the out-pointers are locals; the context is the session's own.
    unsafe {
        driver.cuCtxSetCurrent(second).ok().unwrap();
        driver.cuStreamCreate(&mut stream, 0).ok().unwrap();
    }
    turns.enter_context(second);
    let work = Work { stream: 0, key: 1, guess_ns: None };
    let entry = turns.enter(0, Engine::Compute, || Some(work), |_| Some(stream));
    assert!(matches!(entry, Entry::Free { .. }));
    // SAFETY: the stream is the session's own, and the flag is never freed.
    unsafe {
        driver.cuLaunchHostFunc(stream, Some(hold), std::ptr::from_ref(released).cast_mut().cast())
    }
    .ok()
    .unwrap();
    turns.leave(entry, 1, || Some(stream));
    turns.rest();
    // The other context's work completes only after the session has started to wait for it. On a
    // busy machine that wait may be over before this thread sees it.
    let watching = std::thread::spawn(move || {
        let has_waited = || {
            let slot = shared.slots[0].lock();
            slot.watching || slot.outlasted.is_some()
        };
        while !has_waited() {
            std::thread::yield_now();
        }
        released.store(true, SeqCst);
    });
    std::thread::sleep(SAMPLE);
    // SAFETY: the context lives as long as the process.
    unsafe { driver.cuCtxSetCurrent(first) }.ok().unwrap();
    enter(&mut turns, first, 0, Engine::Compute);
    watching.join().unwrap();
    // SAFETY: the out-pointer is a local.
    unsafe { driver.cuCtxGetCurrent(&mut current) }.ok().unwrap();
    assert_eq!(current, first);
}

#[test]
fn a_session_that_steps_back_passes_the_turn_on_and_asks_again() {
    let (Stage { mut turns, listener }, [context, _]) = Stage::new(true);
    let program = std::thread::spawn(move || {
        let entry = enter(&mut turns, context, 0, Engine::Compute);
        let contended = turns.step_back(entry);
        assert!(contended);
        let entry = turns.hold(0);
        turns.leave(entry, 0, || None);
    });
    let kernels = (0, Engine::Compute);
    hear(&listener, [(NoteKind::Wants, kernels)]);
    grant(&listener, kernels);
    hear(&listener, [(NoteKind::Yielded, kernels)]);
    hear(&listener, [(NoteKind::Wants, kernels)]);
    grant(&listener, kernels);
    program.join().unwrap();
}

#[test]
fn pieces_like_the_last_are_submitted_without_asking_until_an_order_arrives() {
    let (Stage { mut turns, listener }, [context, _]) = Stage::new(false);
    let kernels = (0, Engine::Compute);
    let shared = turns.shared.clone();
    let (sender, receiver) = (listener.clone(), listener.clone());
    let program = std::thread::spawn(move || {
        let submit = |turns: &mut Turns| {
            let entry = enter(turns, context, 0, Engine::Compute);
            turns.leave(entry, 0, || Some(CUstream::NULL));
            matches!(entry, Entry::Repeated { .. })
        };
        let first = [submit(&mut turns), submit(&mut turns), submit(&mut turns)];
        assert_eq!(first, [false, true, true]);
        let orders = shared.slots[0].orders.load(SeqCst);
        let drain = Action::Drain { session: SessionId(1), engine: Engine::Compute };
        sender.send(&[Note::of(drain, 0).unwrap().1]).unwrap();
        while shared.slots[0].orders.load(SeqCst) == orders {
            std::thread::yield_now();
        }
        // Returns only in the next turn.
        assert!(!submit(&mut turns));
    });
    hear(&receiver, [(NoteKind::Wants, kernels)]);
    grant(&receiver, kernels);
    hear(&receiver, [(NoteKind::Yielded, kernels), (NoteKind::Wants, kernels)]);
    grant(&receiver, kernels);
    program.join().unwrap();
}

#[test]
fn a_credit_is_for_pieces_like_the_last_and_runs_out() {
    let context = CUcontext(1);
    let piece = Repeatable { context, stream: 2, key: 3, predicted_ns: 100 };
    let credit = Credit { orders: 4, left_ns: 250 };
    let mut quick = Quick { repeat: Some((piece, credit)), ..Quick::default() };
    let work = |stream, key| Work { stream, key, guess_ns: None };
    assert!(!quick.repeats(CUcontext(9), &work(2, 3), 4));
    assert!(!quick.repeats(context, &work(9, 3), 4));
    assert!(!quick.repeats(context, &work(2, 9), 4));
    assert!(!quick.repeats(context, &work(2, 3), 9), "an order arrived");
    assert!(quick.repeats(context, &work(2, 3), 4) && quick.repeats(context, &work(2, 3), 4));
    assert!(!quick.repeats(context, &work(2, 3), 4), "50 ns are left");
    assert_eq!((quick.measured, quick.unreported_ns), (2, 200));
}
