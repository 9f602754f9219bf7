//! The applications that the simulator measures: the paper's four micro-benchmarks, and the tile
//! graphs for comparison with other schedulers. Each application is a few lines over `analysis`.
//! Real user functions are missing, because costs are parameters.

use crate::error::Error;
use crate::graph::{Graph, Home, Keep};
use crate::reporting::analysis::{Data, Flow};
use serde::Serialize;
use std::str::FromStr;

/// One megabyte as the paper counts it: a million bytes.
pub const MB: u64 = 1_000_000;

/// The size of data that is not partitioned: the weights and gradients of the logistic regression.
const SMALL_BYTES: u64 = MB;

/// An application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum App {
    /// Each iteration computes a gradient per partition from shared weights, then reduces them
    /// once.
    LogisticRegression,
    /// Each iteration splits each partition into buckets and merges each bucket.
    Sort,
    /// Each iteration computes each partition from itself and its two neighbours.
    Blur,
    /// Panels of A and B. Each further iteration multiplies the product by B again.
    MatMul,
    /// Tile products that are chained over the inner index, with `partitions` tiles per side.
    Gemm,
    /// Every pair of `partitions` blocks of A and `partitions` blocks of B, without outputs.
    Outer,
}

impl FromStr for App {
    type Err = Error;

    fn from_str(name: &str) -> Result<App, Error> {
        Ok(match name {
            "logistic" => App::LogisticRegression,
            "sort" => App::Sort,
            "blur" => App::Blur,
            "matmul" => App::MatMul,
            "gemm" => App::Gemm,
            "outer" => App::Outer,
            _ => {
                return Err(Error::Usage(format!(
                    "no application `{name}`: logistic, sort, blur, matmul, gemm, outer"
                )));
            }
        })
    }
}

/// An application with its size and costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Size {
    /// The application.
    pub app: App,
    /// Number of input partitions; tiles per side for `Gemm`, blocks per operand for `Outer`.
    pub partitions: usize,
    /// Number of iterations; always one for `Gemm` and `Outer`.
    pub iterations: usize,
    /// Bytes per partition.
    pub partition_bytes: u64,
    /// Time per subtask in nanoseconds.
    pub compute_ns: u64,
    /// Whether inputs come from files and results go to files, instead of host memory.
    pub files: bool,
}

impl Size {
    /// Builds the graph.
    ///
    /// # Errors
    /// `Usage` if the number of partitions, of iterations or of bytes is zero.
    pub fn graph(&self) -> Result<Graph, Error> {
        if self.partitions == 0 || self.iterations == 0 || self.partition_bytes == 0 {
            return Err(Error::Usage(
                "partitions, iterations and partition size must be at least 1".into(),
            ));
        }
        let mut flow = Flow::new();
        let result = match self.app {
            App::LogisticRegression => self.logistic(&mut flow)?,
            App::Sort => self.sort(&mut flow),
            App::Blur => self.blur(&mut flow),
            App::MatMul => self.matmul(&mut flow)?,
            App::Gemm => self.gemm(&mut flow)?,
            App::Outer => self.outer(&mut flow),
        };
        flow.keep(&result, if self.files { Keep::File } else { Keep::Host });
        flow.build()
    }

    fn home(&self) -> Home {
        if self.files { Home::File } else { Home::Host }
    }

    fn blocks(&self, flow: &mut Flow, name: &str, count: usize) -> Data {
        flow.input(name, &vec![self.partition_bytes; count], self.home())
    }

    fn logistic(&self, flow: &mut Flow) -> Result<Data, Error> {
        let x = self.blocks(flow, "x", self.partitions);
        let small = SMALL_BYTES.min(self.partition_bytes);
        let mut w = flow.input("w", &[small], Home::Host);
        for t in 0..self.iterations {
            let gradients =
                flow.map(&format!("grad{t}"), &x, w.partitions(), Some(small), self.compute_ns);
            let all = Data::concat(&[gradients, w]);
            w = flow.reduce(
                &format!("w{t}."),
                &all,
                all.partitions().len().max(2),
                small,
                self.compute_ns / 100,
            )?;
        }
        Ok(w)
    }

    fn sort(&self, flow: &mut Flow) -> Data {
        let mut data = self.blocks(flow, "in", self.partitions);
        for t in 0..self.iterations {
            data = flow.exchange(&format!("sort{t}"), &data, self.compute_ns, self.compute_ns);
        }
        data
    }

    fn blur(&self, flow: &mut Flow) -> Data {
        let mut data = self.blocks(flow, "in", self.partitions);
        for t in 0..self.iterations {
            data = flow.map_overlap(&format!("blur{t}"), &data, 1, self.compute_ns);
        }
        data
    }

    fn matmul(&self, flow: &mut Flow) -> Result<Data, Error> {
        let side = self.partitions / 2;
        if side == 0 || self.partitions % 2 == 1 {
            return Err(Error::Usage(
                "matmul: partitions are panels of A and of B, an even number".into(),
            ));
        }
        let a = self.blocks(flow, "a", side);
        let b = self.blocks(flow, "b", side);
        let mut rows: Vec<Data> = (0..side).map(|i| a.part(i)).collect();
        for t in 0..self.iterations {
            for (i, row) in rows.iter_mut().enumerate() {
                let mut next = Vec::new();
                for j in 0..side {
                    let inputs = Data::concat(&[row.clone(), b.part(j)]).partitions().to_vec();
                    next.push(flow.subtask(
                        format!("mm{t}[{i},{j}]"),
                        inputs,
                        &[self.partition_bytes],
                        self.compute_ns,
                    ));
                }
                *row = Data::concat(&next);
            }
        }
        Ok(Data::concat(&rows))
    }

    fn gemm(&self, flow: &mut Flow) -> Result<Data, Error> {
        let n = self.partitions;
        let [a, b, c] = ["a", "b", "c"].map(|name| self.blocks(flow, name, n * n));
        flow.matmul("gemm", &a, &b, &c, [n, n, n], self.compute_ns)
    }

    fn outer(&self, flow: &mut Flow) -> Data {
        let a = self.blocks(flow, "a", self.partitions);
        let b = self.blocks(flow, "b", self.partitions);
        for (i, p) in a.partitions().iter().enumerate() {
            for (j, q) in b.partitions().iter().enumerate() {
                flow.subtask(format!("outer[{i},{j}]"), vec![*p, *q], &[], self.compute_ns);
            }
        }
        Data::concat(&[])
    }
}
