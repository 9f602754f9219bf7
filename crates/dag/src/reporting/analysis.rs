//! Analysis: turns tasks over whole data objects into subtasks over partitions. Tasks are map, map
//! with neighbours, zip, reduce, exchange and matrix product. So an application describes its
//! tasks, and the scheduler sees the data that moves. Callers choose the partition sizes and give
//! the costs.

use crate::error::Error;
use crate::graph::{Graph, Home, Keep, Partition, PartitionId, Subtask};

/// A data object: a list of partitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data(Vec<PartitionId>);

impl Data {
    /// Returns the partitions.
    pub fn partitions(&self) -> &[PartitionId] {
        &self.0
    }

    /// Returns the `index`-th partition as an object of its own.
    pub fn part(&self, index: usize) -> Data {
        Data(vec![self.0[index]])
    }

    /// Returns the partitions of several objects as one object.
    pub fn concat(list: &[Data]) -> Data {
        Data(list.iter().flat_map(|d| d.0.iter().copied()).collect())
    }
}

/// A graph under construction. Costs are in nanoseconds per subtask.
#[derive(Debug, Default)]
pub struct Flow {
    partitions: Vec<Partition>,
    subtasks: Vec<Subtask>,
}

impl Flow {
    /// Returns an empty flow.
    pub fn new() -> Flow {
        Flow::default()
    }

    /// Adds a given object of `bytes.len()` partitions and returns the object.
    pub fn input(&mut self, name: &str, bytes: &[u64], home: Home) -> Data {
        let make = |(i, bytes): (usize, &u64)| Partition {
            name: format!("{name}[{i}]"),
            bytes: *bytes,
            home,
            keep: Keep::No,
        };
        let first = self.partitions.len();
        self.partitions.extend(bytes.iter().enumerate().map(make));
        Data((first..self.partitions.len()).map(|p| PartitionId(p as u32)).collect())
    }

    /// Adds one subtask with the given inputs and returns its outputs.
    pub fn subtask(
        &mut self,
        name: String,
        inputs: Vec<PartitionId>,
        outputs_bytes: &[u64],
        compute_ns: u64,
    ) -> Data {
        let outputs = self.input(&name, outputs_bytes, Home::Made);
        if let [only] = outputs.0[..] {
            self.partitions[only.at()].name.clone_from(&name);
        }
        self.subtasks.push(Subtask { name, inputs, outputs: outputs.0.clone(), compute_ns });
        outputs
    }

    /// Adds one subtask per partition of `data`, which also reads all of `shared` (an empty slice
    /// for none). With `None` for `out_bytes`, outputs have their inputs' sizes.
    pub fn map(
        &mut self,
        name: &str,
        data: &Data,
        shared: &[PartitionId],
        out_bytes: Option<u64>,
        compute_ns: u64,
    ) -> Data {
        let mut out = Vec::new();
        for (i, p) in data.0.iter().enumerate() {
            let inputs = std::iter::once(*p).chain(shared.iter().copied()).collect();
            let bytes = out_bytes.unwrap_or(self.partitions[p.at()].bytes);
            out.extend(self.subtask(format!("{name}[{i}]"), inputs, &[bytes], compute_ns).0);
        }
        Data(out)
    }

    /// Adds one subtask per partition, which also reads `depth` neighbours on each side.
    pub fn map_overlap(&mut self, name: &str, data: &Data, depth: usize, compute_ns: u64) -> Data {
        let mut out = Vec::new();
        for (i, p) in data.0.iter().enumerate() {
            let inputs =
                data.0[i.saturating_sub(depth)..(i + depth + 1).min(data.0.len())].to_vec();
            let bytes = self.partitions[p.at()].bytes;
            out.extend(self.subtask(format!("{name}[{i}]"), inputs, &[bytes], compute_ns).0);
        }
        Data(out)
    }

    /// Adds one subtask per pair of partitions of two equally long objects. An output has the size
    /// of the first input.
    ///
    /// # Errors
    /// `Usage` if the lengths differ.
    pub fn zip(&mut self, name: &str, a: &Data, b: &Data, compute_ns: u64) -> Result<Data, Error> {
        if a.0.len() != b.0.len() {
            return Err(Error::Usage(format!(
                "zip `{name}`: {} and {} partitions",
                a.0.len(),
                b.0.len()
            )));
        }
        let mut out = Vec::new();
        for (i, (p, q)) in a.0.iter().zip(&b.0).enumerate() {
            let bytes = self.partitions[p.at()].bytes;
            out.extend(self.subtask(format!("{name}[{i}]"), vec![*p, *q], &[bytes], compute_ns).0);
        }
        Ok(Data(out))
    }

    /// Adds a tree of subtasks that combine up to `fan_in` partitions each, down to one partition
    /// of `out_bytes`.
    ///
    /// # Errors
    /// `Usage` if `fan_in` is below 2.
    pub fn reduce(
        &mut self,
        name: &str,
        data: &Data,
        fan_in: usize,
        out_bytes: u64,
        compute_ns: u64,
    ) -> Result<Data, Error> {
        if fan_in < 2 {
            return Err(Error::Usage(format!("reduce `{name}`: a fan-in of {fan_in} never ends")));
        }
        let mut level = data.0.clone();
        let mut depth = 0;
        while level.len() > 1 || depth == 0 {
            let mut next = Vec::new();
            for (i, group) in level.chunks(fan_in).enumerate() {
                next.extend(
                    self.subtask(
                        format!("{name}{depth}[{i}]"),
                        group.to_vec(),
                        &[out_bytes],
                        compute_ns,
                    )
                    .0,
                );
            }
            level = next;
            depth += 1;
        }
        Ok(Data(level))
    }

    /// Splits each partition into as many buckets as `data` has partitions, then merges the j-th
    /// buckets of all partitions, as in sort and group-by.
    pub fn exchange(&mut self, name: &str, data: &Data, split_ns: u64, merge_ns: u64) -> Data {
        let count = data.0.len();
        let mut buckets = Vec::new();
        for (i, p) in data.0.iter().enumerate() {
            let bytes = self.partitions[p.at()].bytes;
            let sizes: Vec<u64> = (0..count as u64)
                .map(|j| (bytes * (j + 1)) / count as u64 - (bytes * j) / count as u64)
                .collect();
            buckets.push(self.subtask(format!("{name}-split[{i}]"), vec![*p], &sizes, split_ns));
        }
        let mut out = Vec::new();
        for j in 0..count {
            let inputs: Vec<_> = buckets.iter().map(|b| b.0[j]).collect();
            let bytes = inputs.iter().map(|p| self.partitions[p.at()].bytes).sum();
            out.extend(self.subtask(format!("{name}-merge[{j}]"), inputs, &[bytes], merge_ns).0);
        }
        Data(out)
    }

    /// Adds the product of `rows` x `inner` tiles and `inner` x `cols` tiles (row-major) to `c`.
    /// Each tile product is one subtask, and the subtasks are chained over the inner index.
    ///
    /// # Errors
    /// `Usage` if an object does not have this number of tiles.
    pub fn matmul(
        &mut self,
        name: &str,
        a: &Data,
        b: &Data,
        c: &Data,
        shape: [usize; 3],
        compute_ns: u64,
    ) -> Result<Data, Error> {
        let [rows, cols, inner] = shape;
        if a.0.len() != rows * inner || b.0.len() != inner * cols || c.0.len() != rows * cols {
            return Err(Error::Usage(format!(
                "matmul `{name}`: tiles do not match {rows}x{cols}x{inner}"
            )));
        }
        let mut sums = c.0.clone();
        for k in 0..inner {
            for i in 0..rows {
                for j in 0..cols {
                    let sum = &mut sums[i * cols + j];
                    let bytes = self.partitions[sum.at()].bytes;
                    let inputs = vec![a.0[i * inner + k], b.0[k * cols + j], *sum];
                    let made = Flow::subtask(
                        self,
                        format!("{name}[{i},{j},{k}]"),
                        inputs,
                        &[bytes],
                        compute_ns,
                    );
                    sums[i * cols + j] = made.0[0];
                }
            }
        }
        Ok(Data(sums))
    }

    /// Sets where an object must be at the end.
    pub fn keep(&mut self, data: &Data, keep: Keep) {
        for p in &data.0 {
            self.partitions[p.at()].keep = keep;
        }
    }

    /// Checks and returns the graph.
    ///
    /// # Errors
    /// The errors of [`Graph::new`].
    pub fn build(self) -> Result<Graph, Error> {
        Graph::new(self.partitions, self.subtasks)
    }
}
