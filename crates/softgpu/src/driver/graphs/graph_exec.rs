//! Launches executable graphs, each as one stream operation.

use crate::driver::lock;
use crate::driver::objects::graphs::graph_exec::GraphExec;
use crate::driver::objects::graphs::task::Task;
use crate::driver::objects::streams::queue::Ticket;
use crate::driver::objects::streams::stream::{Length, Stream};
use crate::driver::state::{self, Driver};
use crate::driver::system::error::Result;
use std::sync::Arc;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH`.
const FLAG_FREE_ON_LAUNCH: u64 = 1;

impl GraphExec {
    /// Launches the graph in a stream.
    pub fn launch(&self, driver: &Driver, stream: &Stream) -> Result<()> {
        stream.refuse_capture()?;
        let plan = Arc::clone(&lock(&self.plan));
        let task = Task::Graph(Arc::clone(&plan));
        stream.context()?.check()?;
        let mut moments = Default::default();
        // The lock is held during the submission, so that launches wait for each other in
        // submission order.
        let mut last = lock(&self.last);
        let effects = plan.launch_effects();
        driver.graph_memory.check_launch(&effects, self.flags & FLAG_FREE_ON_LAUNCH != 0)?;
        task.begin(driver, &mut moments)?;
        let before = last.clone();
        if state::is_like_nvidias() && task.has_host_function() {
            // An H100 waited here at the second launch of some graphs, at the 28th of others, and
            // after host functions in the stream.
            let ahead: Vec<Ticket> = before
                .clone()
                .into_iter()
                .chain(stream.queue().tail())
                .filter(|ticket| !ticket.is_done())
                .collect();
            if !ahead.is_empty() {
                stream.context()?.hold_up(|| ahead.iter().for_each(Ticket::wait));
            }
        }
        let is_synchronous = state::is_like_nvidias() && task.copies_within_host(&driver.ranges);
        let ticket = stream.submit_once(Length::Long, move |_| {
            if let Some(ticket) = before {
                ticket.wait();
            }
            task.reset();
            task.run(&mut moments)
        })?;
        driver.graph_memory.note_launch(effects);
        if is_synchronous {
            // On an H100, the launch call itself copies, once the device has reached the graph.
            stream.context()?.hold_up(|| ticket.wait());
        }
        *last = Some(ticket);
        Ok(())
    }
}
