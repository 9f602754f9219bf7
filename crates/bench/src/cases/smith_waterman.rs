//! A Smith-Waterman search modelled on CUDASW++. The program sends a database of protein sequences
//! to the GPU in chunks, on two streams. The GPU aligns each sequence with the query, and the
//! program reads the scores back. The database is random, with the composition of Swiss-Prot, and
//! sorted by length as in programs of this kind. The CPU checks some scores with the plain
//! algorithm.

use super::copies::size;
use crate::error::Error;
use crate::measurement::case::Scale;
use crate::measurement::cuda_driver::{MeasuredGpu, Pinned};
use crate::measurement::random::Random;
use crate::measurement::stopwatch::{Stopwatch, Unit};
use outhaul_abi::types::*;
use std::ops::Range;

const THREADS: u32 = 128;
const GROUP: usize = 32;
const TILE: usize = 8;
const ALPHABET: usize = 32;
/// The residue that pads short sequences. Its score is so low that no alignment includes it.
const PAD: u8 = 31;
const PAD_SCORE: i8 = -100;
const GAP_OPEN: i32 = 12;
const GAP_EXTEND: i32 = 2;
const LENGTH_MIN: usize = 40;
const LENGTH_MEAN: f64 = 360.0;
const LENGTH_MAX: usize = 2000;
/// Length in residues of the longest query in CUDASW++'s measurements. The shortest one has 144
/// residues, a medium one 464.
const QUERY_LENGTH_MAX: usize = 5478;
const CHECKED: usize = 48;
const SEED: u64 = 20_130_902;

/// Frequency of each amino acid in Swiss-Prot, in hundredths of a per cent, in the order of
/// `BLOSUM62`.
const COMPOSITION: [u32; 20] = [
    825, 553, 406, 546, 138, 393, 672, 707, 227, 591, 965, 580, 241, 386, 474, 665, 536, 110, 292,
    686,
];
/// Scores of residue pairs. Rows and columns: A R N D C Q E G H I L K M F P S T W Y V.
#[rustfmt::skip]
const BLOSUM62: [[i8; 20]; 20] = [
    [ 4, -1, -2, -2,  0, -1, -1,  0, -2, -1, -1, -1, -1, -2, -1,  1,  0, -3, -2,  0],
    [-1,  5,  0, -2, -3,  1,  0, -2,  0, -3, -2,  2, -1, -3, -2, -1, -1, -3, -2, -3],
    [-2,  0,  6,  1, -3,  0,  0,  0,  1, -3, -3,  0, -2, -3, -2,  1,  0, -4, -2, -3],
    [-2, -2,  1,  6, -3,  0,  2, -1, -1, -3, -4, -1, -3, -3, -1,  0, -1, -4, -3, -3],
    [ 0, -3, -3, -3,  9, -3, -4, -3, -3, -1, -1, -3, -1, -2, -3, -1, -1, -2, -2, -1],
    [-1,  1,  0,  0, -3,  5,  2, -2,  0, -3, -2,  1,  0, -3, -1,  0, -1, -2, -1, -2],
    [-1,  0,  0,  2, -4,  2,  5, -2,  0, -3, -3,  1, -2, -3, -1,  0, -1, -3, -2, -2],
    [ 0, -2,  0, -1, -3, -2, -2,  6, -2, -4, -4, -2, -3, -3, -2,  0, -2, -2, -3, -3],
    [-2,  0,  1, -1, -3,  0,  0, -2,  8, -3, -3, -1, -2, -1, -2, -1, -2, -2,  2, -3],
    [-1, -3, -3, -3, -1, -3, -3, -4, -3,  4,  2, -3,  1,  0, -3, -2, -1, -3, -1,  3],
    [-1, -2, -3, -4, -1, -2, -3, -4, -3,  2,  4, -2,  2,  0, -3, -2, -1, -2, -1,  1],
    [-1,  2,  0, -1, -3,  1,  1, -2, -1, -3, -2,  5, -1, -3, -1,  0, -1, -3, -2, -2],
    [-1, -1, -2, -3, -1,  0, -2, -3, -2,  1,  2, -1,  5,  0, -2, -1, -1, -1, -1,  1],
    [-2, -3, -3, -3, -2, -3, -3, -3, -1,  0,  0, -3,  0,  6, -4, -2, -2,  1,  3, -1],
    [-1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4,  7, -1, -1, -4, -3, -2],
    [ 1, -1,  1,  0, -1,  0,  0,  0, -1, -2, -2,  0, -1, -2, -1,  4,  1, -3, -2, -2],
    [ 0, -1,  0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1,  1,  5, -2, -2,  0],
    [-3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1,  1, -4, -3, -2, 11,  2, -3],
    [-2, -2, -2, -3, -2, -1, -2, -3,  2, -1, -1, -2, -1,  3, -3, -2, -2,  2,  7, -1],
    [ 0, -3, -3, -3, -1, -2, -2, -3, -3,  3,  1, -2,  1, -1, -2, -2,  0, -3, -1,  4],
];

/// The sequences in groups of 32, interleaved by residue, and the chunks that the program sends.
struct Database {
    residues: Pinned<u8>,
    /// The offset of each group in its chunk. `lengths` has the length of each group's longest
    /// sequence.
    offsets: Pinned<u32>,
    lengths: Pinned<u32>,
    scores: Pinned<i32>,
    chunks: Vec<Chunk>,
}

struct Chunk {
    residues: Range<usize>,
    groups: Range<usize>,
}

/// The buffers of one stream.
struct StreamBuffers {
    stream: CUstream,
    residues: CUdeviceptr,
    offsets: CUdeviceptr,
    lengths: CUdeviceptr,
    boundary: CUdeviceptr,
    scores: CUdeviceptr,
}

struct Query {
    residues: Vec<u8>,
    on_device: CUdeviceptr,
    matrix: CUdeviceptr,
    kernel: CUfunction,
}

/// Measures the case.
pub fn run(scale: Scale, watch: &mut Stopwatch) -> Result<(), Error> {
    // Each pair is the database's size in bytes and the query's length in residues.
    let (searches, chunk_bytes): (&[(usize, usize)], usize) = match scale {
        Scale::Small => (&[(32 << 10, 32), (128 << 10, 32)], 32 << 10),
        Scale::Full => (&[(4 << 20, 464), (64 << 20, 464), (64 << 20, QUERY_LENGTH_MAX)], 4 << 20),
    };
    let mut random = Random::new(SEED);
    for (bytes, query_length) in searches {
        let query = Query::new(&watch.gpu, &mut random, *query_length)?;
        let mut database = Database::new(&watch.gpu, &mut random, *bytes, chunk_bytes)?;
        let mut slots = vec![
            StreamBuffers::new(&watch.gpu, &database)?,
            StreamBuffers::new(&watch.gpu, &database)?,
        ];
        let what = format!("{} of sequences, query of {query_length}", size(*bytes));
        let unit = Unit { size: Some((bytes * query_length) as f64), ..Unit::new(&what, 3) };
        let mut sample = watch.time(&unit, |gpu| query.search(gpu, &mut database, &mut slots))?;
        query.check(&database, &mut random)?;
        sample.result = Some(format!(
            "scores {:016x}",
            database.scores.iter().fold(0, |sum: u64, s| sum.rotate_left(5) ^ *s as u64)
        ));
        watch.emit(&sample);
        slots.into_iter().try_for_each(|slot| slot.free(&watch.gpu))?;
    }
    Ok(())
}

impl Query {
    fn new(gpu: &MeasuredGpu, random: &mut Random, length: usize) -> Result<Query, Error> {
        let [kernel] = gpu.functions(include_str!("../kernels/search.ptx"), [c"search"])?;
        let urn = Residues::new();
        let residues: Vec<u8> = (0..length).map(|_| urn.draw(random)).collect();
        let mut matrix = [PAD_SCORE; ALPHABET * ALPHABET];
        for (q, row) in BLOSUM62.iter().enumerate() {
            matrix[q * ALPHABET..][..row.len()].copy_from_slice(row);
        }
        let mut tiled = residues.clone();
        tiled.resize(length.next_multiple_of(TILE), PAD);
        Ok(Query { on_device: gpu.place(&tiled)?, matrix: gpu.place(&matrix)?, residues, kernel })
    }

    fn search(
        &self,
        gpu: &MeasuredGpu,
        database: &mut Database,
        slots: &mut [StreamBuffers],
    ) -> Result<(), Error> {
        let tiles = self.residues.len().div_ceil(TILE) as u64;
        for (i, chunk) in database.chunks.iter().enumerate() {
            let slot = &slots[i % slots.len()];
            gpu.send(slot.residues, &database.residues[chunk.residues.clone()], slot.stream)?;
            gpu.send(slot.offsets, &database.offsets[chunk.groups.clone()], slot.stream)?;
            gpu.send(slot.lengths, &database.lengths[chunk.groups.clone()], slot.stream)?;
            let sequences = chunk.groups.len() * GROUP;
            let arguments = [
                slot.residues,
                slot.offsets,
                slot.lengths,
                sequences as u64,
                self.on_device,
                tiles,
                self.matrix,
                slot.boundary,
                slot.scores,
            ];
            gpu.launch(
                self.kernel,
                sequences.div_ceil(THREADS as usize),
                THREADS,
                slot.stream,
                &arguments,
            )?;
            let scores = &mut database.scores[chunk.groups.start * GROUP..chunk.groups.end * GROUP];
            gpu.fetch(scores, slot.scores, slot.stream)?;
        }
        slots.iter().try_for_each(|slot| gpu.wait(slot.stream))
    }

    /// Checks some scores against the plain algorithm.
    fn check(&self, database: &Database, random: &mut Random) -> Result<(), Error> {
        for _ in 0..CHECKED {
            let place = random.below(database.scores.len());
            let (expected, found) =
                (score(&self.residues, &database.sequence(place)), database.scores[place]);
            if expected != found {
                return Err(Error::Bench(format!(
                    "search: sequence {place} scored {found}; {expected} is right"
                )));
            }
        }
        Ok(())
    }
}

impl Database {
    fn new(
        gpu: &MeasuredGpu,
        random: &mut Random,
        bytes: usize,
        chunk_bytes: usize,
    ) -> Result<Database, Error> {
        let mut lengths = Vec::new();
        let mut sum = 0;
        while sum < bytes || lengths.len() % GROUP != 0 {
            let length = LENGTH_MIN
                + (-(1.0 - random.fraction()).ln() * (LENGTH_MEAN - LENGTH_MIN as f64)) as usize;
            lengths.push(length.min(LENGTH_MAX));
            sum += length.min(LENGTH_MAX);
        }
        lengths.sort_unstable();
        let longest: Vec<usize> = lengths.chunks(GROUP).map(|group| group[GROUP - 1]).collect();
        let chunks = cut(&longest, chunk_bytes);
        let mut database = Database {
            residues: gpu.pin(longest.iter().sum::<usize>() * GROUP)?,
            offsets: gpu.pin(longest.len())?,
            lengths: gpu.pin(longest.len())?,
            scores: gpu.pin(lengths.len())?,
            chunks,
        };
        database.residues.fill(PAD);
        let urn = Residues::new();
        for chunk in &database.chunks {
            let mut at = chunk.residues.start;
            for group in chunk.groups.clone() {
                database.offsets[group] = (at - chunk.residues.start) as u32;
                database.lengths[group] = longest[group] as u32;
                for (member, length) in lengths[group * GROUP..][..GROUP].iter().enumerate() {
                    (0..*length).for_each(|i| {
                        database.residues[at + i * GROUP + member] = urn.draw(random)
                    });
                }
                at += longest[group] * GROUP;
            }
        }
        Ok(database)
    }

    /// Returns one sequence without its padding.
    fn sequence(&self, place: usize) -> Vec<u8> {
        let (group, member) = (place / GROUP, place % GROUP);
        let start = self
            .chunks
            .iter()
            .find(|chunk| chunk.groups.contains(&group))
            .map_or(0, |chunk| chunk.residues.start);
        let first = start + self.offsets[group] as usize + member;
        (0..self.lengths[group] as usize)
            .map(|i| self.residues[first + i * GROUP])
            .filter(|r| *r != PAD)
            .collect()
    }
}

/// Divides the groups into chunks of at most `chunk_bytes` bytes. A larger group becomes a chunk of
/// its own.
fn cut(longest: &[usize], chunk_bytes: usize) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut at = 0;
    for (group, length) in longest.iter().enumerate() {
        let end = at + length * GROUP;
        match chunks.last_mut() {
            Some(chunk) if end - chunk.residues.start <= chunk_bytes => {
                chunk.residues.end = end;
                chunk.groups.end = group + 1;
            }
            _ => chunks.push(Chunk { residues: at..end, groups: group..group + 1 }),
        }
        at = end;
    }
    chunks
}

impl StreamBuffers {
    fn new(gpu: &MeasuredGpu, database: &Database) -> Result<StreamBuffers, Error> {
        let most =
            |of: fn(&Chunk) -> usize| database.chunks.iter().map(of).max().unwrap_or_default();
        let (residues, groups) = (most(|c| c.residues.len()), most(|c| c.groups.len()));
        Ok(StreamBuffers {
            stream: gpu.new_stream()?,
            residues: gpu.allocate(residues)?,
            offsets: gpu.allocate(groups * 4)?,
            lengths: gpu.allocate(groups * 4)?,
            boundary: gpu.allocate(residues * 4)?,
            scores: gpu.allocate(groups * GROUP * 4)?,
        })
    }

    fn free(self, gpu: &MeasuredGpu) -> Result<(), Error> {
        [self.residues, self.offsets, self.lengths, self.boundary, self.scores]
            .into_iter()
            .try_for_each(|memory| gpu.free(memory))
    }
}

/// Draws residues at random, by their frequency.
struct Residues {
    /// The residues, each repeated in proportion to its frequency.
    urn: Vec<u8>,
}

impl Residues {
    fn new() -> Residues {
        let urn = COMPOSITION
            .iter()
            .enumerate()
            .flat_map(|(residue, share)| std::iter::repeat_n(residue as u8, *share as usize));
        Residues { urn: urn.collect() }
    }

    fn draw(&self, random: &mut Random) -> u8 {
        self.urn[random.below(self.urn.len())]
    }
}

/// Computes an alignment's score by Gotoh's recurrence, as published.
fn score(query: &[u8], sequence: &[u8]) -> i32 {
    const NEVER: i32 = -10_000;
    let (mut h, mut e) = (vec![0; query.len()], vec![NEVER; query.len()]);
    let mut best = 0;
    for residue in sequence {
        let (mut diagonal, mut above, mut f) = (0, 0, NEVER);
        for (j, q) in query.iter().enumerate() {
            e[j] = (h[j] - GAP_OPEN).max(e[j] - GAP_EXTEND);
            f = (above - GAP_OPEN).max(f - GAP_EXTEND);
            let value = (diagonal + i32::from(BLOSUM62[*q as usize][*residue as usize]))
                .max(e[j])
                .max(f)
                .max(0);
            diagonal = std::mem::replace(&mut h[j], value);
            above = value;
            best = best.max(value);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(letters: &str) -> Vec<u8> {
        letters.chars().map(|c| "ARNDCQEGHILKMFPSTWYV".find(c).unwrap() as u8).collect()
    }

    #[test]
    fn the_matrix_is_symmetric() {
        for (q, row) in BLOSUM62.iter().enumerate() {
            assert!(row.iter().enumerate().all(|(r, score)| *score == BLOSUM62[r][q]));
        }
    }

    #[test]
    fn known_alignments_have_their_scores() {
        assert_eq!(score(&code("WWW"), &code("AWWWA")), 33);
        // The alignment skips one residue: 9 pairs of W, less one gap.
        assert_eq!(score(&code("WWWWWWWWW"), &code("WWWWAWWWWW")), 9 * 11 - 12);
        assert_eq!(score(&code("W"), &code("P")), 0);
    }

    #[test]
    fn chunks_hold_all_groups_and_no_more_than_their_bytes() {
        let chunks = cut(&[1, 1, 2, 5, 1], 3 * GROUP);
        let groups: Vec<_> = chunks.iter().map(|c| c.groups.clone()).collect();
        assert_eq!(groups, [0..2, 2..3, 3..4, 4..5]);
        assert!(chunks.windows(2).all(|pair| pair[0].residues.end == pair[1].residues.start));
    }
}
