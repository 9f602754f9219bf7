use super::*;
use crate::lanes::lane::{LaneReader, LaneWriter};
use crate::lanes::tcp;
use crate::network::line::Grace;
use crate::network::line_halves::Reading;
use crate::network::source_and_sink::Source;
use std::io::Read;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};
use std::time::Duration;

fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (near, listener.accept().unwrap().0)
}

fn line(stream: TcpStream) -> Arc<Line> {
    Line::new(stream.into(), Grace::NONE, Arc::default())
}

fn content(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i % 251) as u8).collect()
}

/// Returns the bytes that a lane sends over its connection for `writes`.
fn on_the_wire(writes: &[&[u8]]) -> Vec<u8> {
    let (near, mut far) = pair();
    let reading = std::thread::spawn(move || {
        let mut all = Vec::new();
        far.read_to_end(&mut all).map(|_| all)
    });
    let mut writer = LaneWriter::new(Box::new(Writing::new(line(near.try_clone().unwrap()))));
    writes.iter().for_each(|bytes| writer.write(&[bytes]).unwrap());
    near.shutdown(Shutdown::Both).unwrap();
    reading.join().unwrap().unwrap()
}

/// Returns a lane's reader to which the bytes of `wire` arrive in pieces of `piece_bytes`.
fn reader_of(wire: Vec<u8>, piece_bytes: usize) -> LaneReader {
    let (mut near, far) = pair();
    std::thread::spawn(move || {
        near.set_nodelay(true).unwrap();
        // The reader may have stopped.
        let _ = wire.chunks(piece_bytes).try_for_each(|piece| near.write_all(piece));
        let _ = near.shutdown(Shutdown::Write);
        // A socket that is closed with unread data resets the connection, and the other side then
        // loses the reader's control messages.
        let _ = near.read_to_end(&mut Vec::new());
    });
    LaneReader::new(Box::new(Reading::new(line(far))), Duration::ZERO)
}

#[test]
fn bytes_pass_in_any_pieces() {
    let data = content(3 * RECORD_BYTES_MAX + 777);
    let writes: Vec<&[u8]> = data
        .chunks(RECORD_BYTES_MAX * 2 - 5)
        .flat_map(|chunk| [&chunk[..7], &chunk[7..300], &chunk[300..]])
        .collect();
    let wire = on_the_wire(&writes);
    assert!(wire.len() > data.len());
    for piece_bytes in [5, 4096, 1 << 20] {
        // Transfers in pieces of five bytes are slow, so they get less data.
        let wire = if piece_bytes == 5 {
            on_the_wire(&[&data[..9000], &data[9000..20_000]])
        } else {
            wire.clone()
        };
        let bytes = if piece_bytes == 5 { 20_000 } else { data.len() };
        let mut reader = reader_of(wire, piece_bytes);
        let mut read = Vec::new();
        for size in
            [1, 16, 4000, RECORD_BYTES_MAX + 9, 70_000, 3, RECORD_BYTES_MAX].into_iter().cycle()
        {
            match size.min(bytes - read.len()) {
                0 => break,
                size => read.extend(reader.body(size).unwrap()),
            }
        }
        assert!(read == data[..bytes], "in pieces of {piece_bytes}");
        assert!(matches!(reader.header(), Err(crate::LaneError::Closed)));
    }
}

#[test]
fn bytes_that_change_during_a_send_arrive_in_one_of_their_states() {
    const WRITES: usize = 200;
    let memory: Vec<AtomicU8> = (0..RECORD_BYTES_MAX - 100).map(|_| AtomicU8::new(7)).collect();
    let (near, far) = pair();
    let mut writer = LaneWriter::new(Box::new(Writing::new(line(near))));
    let mut reader = LaneReader::new(Box::new(Reading::new(line(far))), Duration::ZERO);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for value in (0..=1).cycle().take_while(|_| !over.load(Relaxed)) {
                memory.iter().for_each(|byte| byte.store(value, Relaxed));
            }
        });
        scope.spawn(|| {
            // SAFETY: the bytes live until the scope ends. The test is about concurrent changes to
            // them.
            let bytes =
                unsafe { std::slice::from_raw_parts(memory.as_ptr().cast::<u8>(), memory.len()) };
            // The reader may have stopped.
            let _ = (0..WRITES).try_for_each(|_| writer.write(&[bytes]));
        });
        let is_some = |bytes: Vec<u8>| bytes.iter().all(|byte| [0, 1, 7].contains(byte));
        let read: Result<Vec<_>, _> = (0..WRITES)
            .map(|_| reader.body(memory.len()).map(|bytes| is_some(bytes.to_vec())))
            .collect();
        over.store(true, Relaxed);
        drop(reader);
        assert!(read.unwrap().into_iter().all(|right| right));
    });
}

#[test]
fn a_poll_finds_data_that_arrived_before_it() {
    let (near, far) = pair();
    let mut writer = LaneWriter::new(Box::new(Writing::new(line(near))));
    let mut source = Reading::new(line(far));
    let mut out = vec![0; RECORD_BYTES_MAX];
    assert_eq!(source.try_read(&mut out).unwrap(), None);
    let data = content(100_000);
    let writing = std::thread::spawn(move || {
        content(100_000).chunks(999).for_each(|chunk| writer.write(&[chunk]).unwrap());
        writer
    });
    let mut read = Vec::new();
    while read.len() < data.len() {
        let some = if read.len() % 2 == 0 { &mut out[..] } else { &mut out[..100] };
        if let Some(count) = source.try_read(some).unwrap() {
            read.extend_from_slice(&some[..count]);
        }
    }
    assert!(read == data);
    let _open = writing.join().unwrap();
    assert_eq!(source.try_read(&mut out).unwrap(), None);
}

#[test]
fn no_flipped_bit_is_read_as_if_nothing_had_happened() {
    let data = content(64);
    let wire = on_the_wire(&[&data, &data]);
    for bit in 0..wire.len() * 8 {
        let mut changed = wire.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let (mut near, far) = pair();
        near.write_all(&changed).unwrap();
        let mut reader = LaneReader::new(Box::new(Reading::new(line(far))), Duration::ZERO);
        let first = reader.body(64);
        let second = first.as_ref().map_or(Ok(Vec::new()), |_| reader.body(64));
        let text = first
            .as_ref()
            .err()
            .or(second.as_ref().err())
            .unwrap_or_else(|| panic!("bit {bit} passes"))
            .to_string();
        assert!(text.contains("changed on their way"), "{text}");
        assert!(first.as_ref().map_or(true, |first| *first == data));
    }
}

#[test]
fn a_flipped_bit_of_a_large_payload_is_noticed_where_it_lies() {
    let data = content(4 << 20);
    let wire = on_the_wire(&[&data]);
    for byte in [0, 100, RECORD_BYTES_MAX, 1 << 20, wire.len() - 1] {
        let mut changed = wire.clone();
        changed[byte] ^= 16;
        assert!(reader_of(changed, 1 << 20).body(data.len()).is_err(), "byte {byte}");
    }
    assert!(reader_of(wire, 1 << 20).body(data.len()).unwrap() == data);
}

#[test]
fn lanes_over_tcp_are_checked() {
    let (near, mut far) = pair();
    let mut lane = tcp::lane(near, Grace::NONE, Arc::default());
    lane.writer.write(&[b"hello"]).unwrap();
    far.write_all(&[7; 64]).unwrap();
    let mut wire = [0; HEAD_BYTES + 5];
    far.read_exact(&mut wire).unwrap();
    assert_eq!((&wire[HEAD_BYTES..], wire[0]), (&b"hello"[..], 5));
    assert!(lane.reader.header().unwrap_err().to_string().contains("changed on their way"));
}
