//! Enqueues tasks and events in stream order, or adds them to the graph of the stream's capture.

use crate::driver::objects::graphs::task::Task;
use crate::driver::objects::streams::event::{Event, Last};
use crate::driver::objects::streams::stream::{Length, Returns, Stream};
use crate::driver::state;
use crate::driver::system::error::{Error, Result};
use std::collections::VecDeque;
use std::sync::Arc;

impl Stream {
    /// Runs a task in stream order, or adds it to the graph if the stream is captured.
    pub fn submit(&self, task: Task, returns: Returns) -> Result<()> {
        let Some(task) = self.capture_or_return(task)? else { return Ok(()) };
        match returns {
            Returns::AtOnce(length) => {
                self.submit_once(length, move |_| task.run(&mut VecDeque::new())).map(drop)
            }
            Returns::OnceRead(length) => {
                let (task, bytes) = task.staged();
                self.submit_once(length, move |_| {
                    let done = task.run(&mut VecDeque::new());
                    drop(bytes);
                    done
                })
                .map(drop)
            }
            Returns::OnceDone => self.complete(move || task.run(&mut VecDeque::new())),
        }
    }

    /// Returns the task if it is to be enqueued; adds it to the graph if the stream is captured.
    /// Captures receive operations only through this function.
    pub fn capture_or_return(&self, task: Task) -> Result<Option<Task>> {
        match self.usable_capture()? {
            Some(capture) => capture.add(self, task).map(|()| None),
            None => Ok(Some(task)),
        }
    }

    /// Makes later work wait for an event. In a capture, `external` adds a node that waits for the
    /// event at each launch, instead of a dependency.
    pub fn wait_event(&self, event: &Arc<Event>, external: bool) -> Result<()> {
        let capture = self.usable_capture()?;
        if external {
            let capture = capture.ok_or(Error::InvalidValue)?;
            return capture.add(self, Task::EventWait(Arc::clone(event)));
        }
        match (event.state(), capture) {
            (None, _) => Ok(()),
            // On an H100, a wait for a reached record does not enter the stream, so it does not
            // wait for the legacy stream.
            (Some(Last::Recorded(record)), None)
                if state::is_like_nvidias() && record.is_reached() =>
            {
                Ok(())
            }
            (Some(Last::Recorded(record)), None) => {
                self.submit_always(Length::Long, move || record.wait()).map(drop)
            }
            (Some(Last::Recorded(_)), Some(capture)) => {
                capture.invalidate();
                Err(Error::StreamCaptureIsolation)
            }
            (Some(Last::Captured(other, _)), Some(capture)) if !Arc::ptr_eq(&capture, &other) => {
                capture.invalidate();
                other.invalidate();
                Err(Error::StreamCaptureMerge)
            }
            (Some(Last::Captured(capture, tips)), _) => capture.join(self, &tips),
        }
    }
}

impl Event {
    /// Records the event in a stream. In a capture, `external` adds a node that records the event
    /// at each launch, instead of a mark in the capture.
    pub fn record(self: &Arc<Self>, stream: &Stream, external: bool) -> Result<()> {
        match stream.usable_capture()? {
            Some(capture) if external => capture.add(stream, Task::EventRecord(Arc::clone(self))),
            Some(capture) => {
                let tips = capture.tips(stream.id)?;
                self.set_captured(capture, tips);
                Ok(())
            }
            None if external => Err(Error::InvalidValue),
            None => self.record_in_queue(stream),
        }
    }
}
