use super::*;
use crate::lanes::lane::LaneError;
use std::sync::mpsc;

struct Two {
    client: Lane,
    node: Lane,
    /// The memory as a hostile process sees it.
    memory: SharedMemory,
}

fn two() -> Two {
    two_that_wait(Waits { spin: Duration::ZERO, sleep: LIVENESS_CHECK })
}

fn two_that_wait(waits: Waits) -> Two {
    let (one, descriptor) = SharedMemory::create(LANE_BYTES).unwrap();
    let other = SharedMemory::adopt(&descriptor, LANE_BYTES).unwrap();
    let (client, node) = UnixStream::pair().unwrap();
    let lane = |memory, peer, end| lane_that_waits(memory, peer, end, waits);
    Two {
        client: lane(one, client, End::Client),
        node: lane(other, node, End::Node),
        memory: SharedMemory::adopt(&descriptor, LANE_BYTES).unwrap(),
    }
}

/// Returns a pattern whose period does not divide the ring's size, so that each round differs.
fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i % 251) as u8).collect()
}

#[test]
fn bytes_come_out_as_they_went_in_round_after_round() {
    let Two { client, mut node, .. } = two();
    let data = pattern(RING_BYTES * 3 + 17);
    let sent = data.clone();
    let mut writer = client.writer;
    let writing = std::thread::spawn(move || {
        let mut rest = sent.as_slice();
        for size in [1, 4095, 70_000, RING_BYTES + 3].into_iter().cycle() {
            let (now, later) = rest.split_at(size.min(rest.len()));
            let (head, tail) = now.split_at(now.len() / 2);
            writer.write(&[head, &[], tail]).unwrap();
            rest = later;
            if rest.is_empty() {
                return;
            }
        }
    });
    let mut received = Vec::new();
    for size in [3, 600_000, 16].into_iter().cycle() {
        received.extend(node.reader.body(size.min(data.len() - received.len())).unwrap());
        if received.len() == data.len() {
            break;
        }
    }
    writing.join().unwrap();
    assert!(received == data);
}

#[test]
fn both_directions_at_once() {
    let Two { mut client, mut node, .. } = two();
    let data = pattern(RING_BYTES + 1000);
    let (there, back) = (data.clone(), data.clone());
    std::thread::scope(|scope| {
        scope.spawn(|| client.writer.write(&[&there]).unwrap());
        scope.spawn(|| node.writer.write(&[&back]).unwrap());
        assert!(node.reader.body(data.len()).unwrap() == data);
        assert!(client.reader.body(data.len()).unwrap() == data);
    });
}

#[test]
fn a_full_ring_holds_its_writer_up_until_there_is_room() {
    let Two { client, mut node, .. } = two();
    let mut writer = client.writer;
    let (tell, hear) = mpsc::channel();
    std::thread::spawn(move || {
        writer.write(&[&vec![1; RING_BYTES]]).unwrap();
        tell.send("full").unwrap();
        writer.write(&[&[2]]).unwrap();
        tell.send("more").unwrap();
    });
    assert_eq!(hear.recv().unwrap(), "full");
    // A writer that continued would have to overwrite unread bytes.
    assert!(hear.recv_timeout(LIVENESS_CHECK * 2).is_err());
    assert!(node.reader.body(RING_BYTES).unwrap().iter().all(|byte| *byte == 1));
    assert_eq!(node.reader.body(1).unwrap(), [2]);
    assert_eq!(hear.recv().unwrap(), "more");
}

#[test]
fn counters_that_cannot_be_end_the_lane() {
    let forge = |memory: &SharedMemory| {
        // SAFETY: the controls are at the start of the memory.
        let controls = unsafe { &*memory.address().cast::<[Control; 2]>() };
        for control in controls {
            control.writer.position.store(RING_BYTES as u32 + 1, SeqCst);
            control.reader.position.store(1, SeqCst);
        }
    };
    let Two { mut client, mut node, memory } = two();
    forge(&memory);
    for lane in [&mut client, &mut node] {
        let Err(LaneError::Io(error)) = lane.reader.header() else {
            panic!("read from an impossible ring")
        };
        assert!(error.to_string().contains("impossible"), "{error}");
        assert!(lane.writer.write(&[b"x"]).is_err());
    }
}

#[test]
fn a_counter_that_goes_back_is_an_end_and_no_second_reading() {
    let Two { mut client, mut node, memory } = two();
    client.writer.write(&[b"once"]).unwrap();
    assert_eq!(node.reader.body(4).unwrap(), b"once");
    // SAFETY: the controls are at the start of the memory.
    let control = unsafe { &*memory.address().cast::<Control>() };
    control.writer.position.store(2, SeqCst);
    assert!(matches!(node.reader.body(4), Err(LaneError::Io(_))));
}

#[test]
fn a_reader_gets_the_last_data_of_a_dead_peer_then_the_end() {
    let Two { mut client, mut node, .. } = two();
    client.writer.write(&[b"last words"]).unwrap();
    drop(client);
    assert_eq!(node.reader.body(10).unwrap(), b"last words");
    assert!(matches!(node.reader.header(), Err(LaneError::Closed)));
    let much = vec![0; RING_BYTES + 1];
    assert!(matches!(node.writer.write(&[&much]), Err(LaneError::Closed)));
}

#[test]
fn a_sleeping_reader_notices_that_its_peer_is_gone() {
    let Two { client, mut node, .. } = two();
    let reading = std::thread::spawn(move || node.reader.header());
    drop(client);
    assert!(matches!(reading.join().unwrap(), Err(LaneError::Closed)));
}

#[test]
fn cutting_a_lane_wakes_its_sleeping_reader_and_writer() {
    let Two { client: _client, mut node, .. } =
        two_that_wait(Waits { spin: Duration::ZERO, sleep: Duration::from_secs(1 << 20) });
    let life = node.life.clone();
    let reading = std::thread::spawn(move || node.reader.header());
    let writing = std::thread::spawn(move || node.writer.write(&[&vec![0; RING_BYTES + 1]]));
    life.cut();
    assert!(matches!(reading.join().unwrap(), Err(LaneError::Closed)));
    assert!(matches!(writing.join().unwrap(), Err(LaneError::Closed)));
}
