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
fn wait_for_arrival() {
    std::thread::sleep(Duration::from_millis(20));
}

fn watch(lanes: &[&Lane], patience: Patience) -> Watch {
    Watch::new(lanes.iter().map(|lane| (lane.life.clone(), Role::Both)), patience)
}

#[test]
fn a_lane_with_heartbeats_is_not_silent_and_one_without_is_reported() {
    for (mut near, far) in [over_tcp(), in_memory()] {
        let (mut here, mut there) =
            (watch(&[&near], Patience::None), watch(&[&far], Patience::None));
        near.life.begin();
        for _ in 0..3 * SILENT_TICKS_MAX {
            wait_for_arrival();
            assert_eq!((here.tick(), there.tick()), (None, None));
        }
        wait_for_arrival();
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
fn heartbeats_and_checks_start_with_the_first_use_of_a_lane() {
    let (near, far) = over_tcp();
    let (mut here, mut there) = (watch(&[&near], Patience::None), watch(&[&far], Patience::None));
    for _ in 0..2 * SILENT_TICKS_MAX {
        assert_eq!((here.tick(), there.tick()), (None, None));
    }
    assert!(
        !near.life.receiving_end.received().unread && !far.life.receiving_end.received().unread,
        "nobody has spoken"
    );
    near.life.begin();
    wait_for_arrival();
    assert_eq!(there.tick(), None);
    wait_for_arrival();
    assert!(
        near.life.receiving_end.received().unread,
        "the other side has received that the lane is used"
    );
}

#[test]
fn a_node_waits_for_a_stopped_client_but_not_for_one_silent_lane() {
    let ((one, mut first), (other, mut second)) = (over_tcp(), over_tcp());
    let mut node = watch(&[&first, &second], Patience::Whole);
    // The node's threads read heartbeats as they arrive.
    let mut speak = |lanes: &[&Lane]| {
        lanes.iter().for_each(|lane| lane.life.begin());
        wait_for_arrival();
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
fn a_tick_without_a_heartbeat_does_not_prolong_silence() {
    let ((one, mut first), (_other, second)) = (over_tcp(), over_tcp());
    let mut node = watch(&[&first, &second], Patience::Whole);
    second.life.begin();
    let mut ticks = 0;
    let verdict = loop {
        ticks += 1;
        // The other side's ticks are a little longer, so every third check finds no heartbeat.
        if ticks % 3 != 0 {
            one.life.begin();
            wait_for_arrival();
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
fn a_full_lane_gets_no_heartbeat_and_the_sender_does_not_wait() {
    for (near, far) in [over_tcp(), in_memory()] {
        let mut writer = near.writer;
        let filling = std::thread::spawn(move || writer.write(&[&vec![7; 64 << 20]]).is_err());
        let mut before = u64::MAX;
        while std::mem::replace(&mut before, far.life.receiving_end.received().count) != before {
            std::thread::sleep(Duration::from_millis(100));
        }
        near.life.begin();
        assert!(!filling.is_finished(), "it has not waited for who writes");
        near.life.cut();
        assert!(filling.join().unwrap(), "who waits to write goes on with an error");
    }
}
