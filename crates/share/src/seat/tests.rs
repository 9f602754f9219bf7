use super::*;

const MS: u64 = 1_000_000;
const WINDOW: Term = Term::Window { window_ns: 2 * MS };
const NOTHING: InFlight = InFlight { pieces: 0, predicted_ns: 0 };

fn granted(keep: bool) -> Seat {
    let mut seat = Seat::default();
    assert_eq!(seat.admit(0, NOTHING, MS), Admission::Waits { asks: true });
    let obeyed = seat.obey(0, Order::Grant { term: WINDOW, length_ns: 12 * MS, keep });
    assert_eq!(obeyed, Obeyed { free: Some(keep), needs_keeper: !keep });
    seat
}

/// Returns a seat that has had the turn since 0, for 12 ms, and has used `measured_ns` of it.
fn held(measured_ns: u64) -> Seat {
    let mut seat = granted(false);
    seat.measured(measured_ns, 0);
    seat
}

#[test]
fn a_piece_that_would_run_over_the_end_by_more_than_it_leaves_is_for_the_next_turn() {
    let at_10_ms = |mut seat: Seat, predicted_ns| seat.admit(10 * MS, NOTHING, predicted_ns);
    assert_eq!(at_10_ms(held(10 * MS), 10 * MS), Admission::Waits { asks: false });
    assert_eq!(at_10_ms(held(10 * MS), MS), Admission::Enters, "it goes beside others");
    assert_eq!(at_10_ms(held(0), 10 * MS), Admission::Enters, "a turn has one at least");
    assert_eq!(at_10_ms(granted(true), 10 * MS), Admission::Enters, "no other session waits");
    let mut seat = held(10 * MS);
    assert_eq!(seat.admit(MS, NOTHING, 10 * MS), Admission::Enters, "it has long to go");
}

#[test]
fn a_turn_that_is_up_is_passed_on_when_nothing_is_in_flight_and_asked_for_again() {
    let mut seat = granted(false);
    assert_eq!(seat.admit(0, NOTHING, MS), Admission::Enters);
    seat.obey(MS, Order::Drain);
    assert_eq!(seat.pass_on(MS, true), Passing::Stays, "a piece is on its way");
    seat.entered();
    assert_eq!(seat.pass_on(MS, false), Passing::Stays, "it is in flight");
    assert_eq!(seat.admit(MS, NOTHING, 3 * MS), Admission::Waits { asks: false });
    assert_eq!(seat.measured(MS, 0), Charge { own_ns: 0, due_ns: 0 });
    let farewell = Farewell { due_ns: MS, unused_ns: None, wants_ns: Some(3 * MS) };
    assert_eq!(seat.pass_on(2 * MS, true), Passing::Over(farewell));
    assert_eq!(seat.pass_on(2 * MS, true), Passing::Stays, "there is none any more");
    assert_eq!(seat.admit(2 * MS, NOTHING, 3 * MS), Admission::Waits { asks: false });
}

#[test]
fn a_program_that_returns_at_once_keeps_its_turn_and_pays_for_it_otherwise() {
    let mut seat = granted(false);
    let mut now_ns = 0;
    // The seat learns how long the program takes to return.
    for _ in 0..12 {
        assert_eq!(seat.admit(now_ns, NOTHING, MS), Admission::Enters);
        seat.entered();
        now_ns += MS;
        seat.measured(MS, 0);
        if let Passing::Over(_) = seat.pass_on(now_ns, true) {
            seat.admit(now_ns + GRACE_NS / 3, NOTHING, MS);
            seat.obey(now_ns, Order::Grant { term: WINDOW, length_ns: 12 * MS, keep: false });
        }
        now_ns += GRACE_NS / 3;
    }
    assert_eq!(seat.admit(now_ns, NOTHING, MS), Admission::Enters);
    seat.entered();
    assert_eq!(seat.pass_on(now_ns, true), Passing::After { ns: GRACE_NS });
    assert_eq!(seat.pass_on(now_ns + GRACE_NS - 1, true), Passing::After { ns: 1 });
    let Passing::Over(farewell) = seat.pass_on(now_ns + GRACE_NS, true) else { panic!() };
    assert_eq!(farewell.wants_ns, None);

    let mut idler = granted(false);
    idler.admit(0, NOTHING, MS);
    idler.entered();
    let unused_ns = Some(4 * MS);
    let Passing::Over(farewell) = idler.pass_on(4 * MS + UNUSED_NS_MAX, true) else { panic!() };
    assert_eq!(farewell, Farewell { due_ns: 0, unused_ns, wants_ns: None });
}

#[test]
fn a_turn_that_began_with_a_move_of_memory_lasts_though_it_is_up() {
    let mut seat = granted(false);
    assert_eq!(seat.admit(0, NOTHING, MS), Admission::Enters);
    seat.obey(0, Order::Drain);
    seat.moved(50 * MS, 50 * MS);
    seat.entered();
    let last_ns = 50 * MS + u64::from(TURN_TIMES_MOVED) * 50 * MS - 1;
    assert_eq!(seat.admit(last_ns, NOTHING, MS), Admission::Enters);
    seat.entered();
    assert_eq!(seat.admit(last_ns + 1, NOTHING, MS), Admission::Waits { asks: false });
    assert!(matches!(seat.pass_on(last_ns + 1, true), Passing::Over(_)));
}

#[test]
fn the_use_of_a_lost_turn_is_on_the_sessions_account() {
    let mut seat = held(5 * MS);
    assert_eq!(seat.measured(MS, 0), Charge { own_ns: 0, due_ns: 0 });
    assert_eq!(seat.lose_turn(), 6 * MS, "the charged part, and the rest");
    assert_eq!(seat.lose_turn(), 0);
    assert!(!seat.has_turn() && !seat.is_unwatched());
    let mut kept = granted(true);
    assert_eq!(kept.measured(MS, 0), Charge { own_ns: MS, due_ns: 0 });
    assert_eq!(kept.lose_turn(), 0);
    assert!(kept.is_unwatched(), "it submitted without asking");
    assert_eq!(kept.admit(0, NOTHING, MS), Admission::Waits { asks: true });
    kept.request_failed();
    assert_eq!(kept.admit(0, NOTHING, MS), Admission::Waits { asks: true });
    assert_eq!(kept.ask_anew(), Some(MS));
}

#[test]
fn unwatched_work_is_over_before_more_enters() {
    let mut seat = granted(true);
    assert_eq!(seat.admit(0, NOTHING, MS), Admission::Enters);
    seat.entered();
    assert!(seat.obey(MS, Order::Contended).needs_keeper && seat.is_contended());
    assert_eq!(seat.admit(MS, NOTHING, MS), Admission::Waits { asks: false });
    seat.watched();
    assert_eq!(seat.admit(MS, NOTHING, MS), Admission::Enters);
    assert_eq!(seat.obey(MS, Order::Keep).free, Some(true));
}

#[test]
fn room_is_what_the_window_has_left_while_the_turn_is_limited_by_time() {
    let in_flight = InFlight { pieces: 3, predicted_ns: MS / 2 };
    let mut seat = granted(false);
    assert_eq!(seat.room_ns(in_flight), 3 * MS / 2);
    assert_eq!(seat.room_ns(InFlight { pieces: 9, predicted_ns: 3 * MS }), 0);
    seat.obey(0, Order::Drain);
    assert_eq!(seat.room_ns(in_flight), 0, "the turn is up");
    let mut kept = granted(true);
    assert_eq!(kept.room_ns(in_flight), 0, "no other session waits, so nothing is asked");
    kept.obey(0, Order::Contended);
    assert_eq!(kept.room_ns(in_flight), 0, "earlier work is not measured yet");
    kept.watched();
    assert_eq!(kept.room_ns(in_flight), 3 * MS / 2);
    assert_eq!(Seat::default().room_ns(in_flight), 0);
}
