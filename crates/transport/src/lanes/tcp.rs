//! Lanes over TCP, with or without TLS.

use crate::lanes::lane::{Lane, LaneReader, LaneWriter};
use crate::network::duplex_stream::Pipe;
use crate::network::heartbeat::LifeLine;
use crate::network::line::{Bell, Grace, Line};
use crate::network::line_halves::Reading;
use crate::network::line_halves::Writing;
use crate::network::throughput::PaceMeter;
use crate::os::spin::ANSWER_SPIN;
use std::sync::Arc;

/// Makes a lane. `bell` rings when the lane's connection breaks. Another connection may replace the
/// broken one within `grace`.
pub fn lane(pipe: impl Into<Pipe>, grace: Grace, bell: Arc<Bell>) -> Lane {
    let line = Line::new(pipe.into(), grace, bell);
    let reader = LaneReader::new(Box::new(Reading::new(line.clone())), ANSWER_SPIN);
    let writer = LaneWriter::new(Box::new(Writing::new(line.clone())));
    let life = LifeLine::new(writer.way(), line.clone());
    let meter = Some(PaceMeter::new(line.clone()));
    Lane { reader, writer, life, memory_socket: None, meter, line: Some(line), detour: None }
}
