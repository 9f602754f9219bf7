use super::*;
use crate::lanes::lane::Lane;
use crate::lanes::ring;
use crate::lanes::ring::{End, LANE_BYTES};
use crate::lanes::tcp;
use crate::network::line::Grace;
use crate::os::shared_memory::SharedMemory;
use outhaul_wire::frame::Header;
use std::net::TcpListener;
use std::os::unix::net::UnixStream;

fn over_tcp() -> (Lane, Lane) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let lane = |stream| tcp::lane(stream, Grace::NONE, Arc::default());
    (lane(near), lane(listener.accept().unwrap().0))
}

fn in_memory() -> (Lane, Lane) {
    let (one, other) = UnixStream::pair().unwrap();
    let (memory, descriptor) = SharedMemory::create(LANE_BYTES).unwrap();
    let theirs = SharedMemory::adopt(&descriptor, LANE_BYTES).unwrap();
    (ring::lane(memory, one, End::Client), ring::lane(theirs, other, End::Node))
}

/// Waits until data over loopback has arrived.
fn settle() {
    std::thread::sleep(Duration::from_millis(20));
}

fn watch(lanes: &[&Lane], patience: Patience) -> Watch {
    Watch::new(lanes.iter().map(|lane| (lane.life.clone(), Role::Both)), patience)
}

#[test]
fn who_says_beats_is_not_silent_and_who_stops_is_said_to_be() {
    for (mut near, far) in [over_tcp(), in_memory()] {
        let (mut here, mut there) =
            (watch(&[&near], Patience::None), watch(&[&far], Patience::None));
        near.life.begin();
        for _ in 0..3 * SILENT_TICKS_MAX {
            settle();
            assert_eq!((here.tick(), there.tick()), (None, None));
        }
        settle();
        // Unread data is not silence, and readers do not see heartbeats.
        for _ in 0..2 * SILENT_TICKS_MAX {
            assert_eq!(here.tick(), None);
        }
        let mut frame = Header { body_bytes: 3, op: 9, context: 0, sequence: 1 }.encode().to_vec();
        frame.extend([1, 2, 3]);
        let mut writer = far.writer;
        writer.write(&[&frame]).unwrap();
        assert_eq!(near.reader.header().unwrap().op, 9);
        assert_eq!(near.reader.body(3).unwrap(), [1, 2, 3]);
        let silent = (1..).find(|_| here.tick() == Some(0));
        assert!((SILENT_TICKS_MAX..SILENT_TICKS_MAX + 2).contains(&silent.unwrap()), "{silent:?}");
    }
}

#[test]
fn a_lane_is_judged_and_spoken_on_from_its_first_use() {
    let (near, far) = over_tcp();
    let (mut here, mut there) = (watch(&[&near], Patience::None), watch(&[&far], Patience::None));
    for _ in 0..2 * SILENT_TICKS_MAX {
        assert_eq!((here.tick(), there.tick()), (None, None));
    }
    assert!(!near.life.ear.heard().unread && !far.life.ear.heard().unread, "nobody has spoken");
    near.life.begin();
    settle();
    assert_eq!(there.tick(), None);
    settle();
    assert!(near.life.ear.heard().unread, "the other side has heard that the lane is used");
}

#[test]
fn a_client_that_was_stopped_is_waited_for_and_a_lane_that_is_held_up_is_not() {
    let ((one, mut first), (other, mut second)) = (over_tcp(), over_tcp());
    let mut node = watch(&[&first, &second], Patience::Whole);
    // The node's threads read heartbeats as they arrive.
    let mut speak = |lanes: &[&Lane]| {
        lanes.iter().for_each(|lane| lane.life.begin());
        settle();
        [&mut first, &mut second].into_iter().for_each(|lane| while lane.reader.discard() {});
    };
    speak(&[&one, &other]);
    assert_eq!(node.tick(), None);
    for _ in 0..5 * SILENT_TICKS_MAX {
        assert_eq!(node.tick(), None, "both are silent");
    }
    let mut verdict = None;
    for _ in 0..SILENT_TICKS_MAX {
        speak(&[&one]);
        verdict = node.tick();
    }
    assert_eq!(verdict, Some(1));
}

#[test]
fn a_tick_that_no_beat_happens_to_fall_in_prolongs_nobodys_silence() {
    let ((one, mut first), (_other, second)) = (over_tcp(), over_tcp());
    let mut node = watch(&[&first, &second], Patience::Whole);
    second.life.begin();
    let mut ticks = 0;
    let verdict = loop {
        ticks += 1;
        // Heartbeats of a side whose second is a little longer.
        if ticks % 3 != 0 {
            one.life.begin();
            settle();
            while first.reader.discard() {}
        }
        if let Some(lane) = node.tick() {
            break lane;
        }
    };
    assert_eq!(verdict, 1);
    assert!(ticks <= SILENT_TICKS_MAX + 1, "{ticks}");
}

#[test]
fn a_lane_that_is_full_gets_no_beat_and_holds_nobody_up() {
    for (near, far) in [over_tcp(), in_memory()] {
        let mut writer = near.writer;
        let filling = std::thread::spawn(move || writer.write(&[&vec![7; 64 << 20]]).is_err());
        let mut before = u64::MAX;
        while std::mem::replace(&mut before, far.life.ear.heard().count) != before {
            std::thread::sleep(Duration::from_millis(100));
        }
        near.life.begin();
        assert!(!filling.is_finished(), "it has not waited for who writes");
        near.life.cut();
        assert!(filling.join().unwrap(), "who waits to write goes on with an error");
    }
}
