//! Molecular dynamics modelled on LAMMPS's `lj` benchmark: a melting crystal of particles with
//! Lennard-Jones forces and velocity Verlet. Every 20 steps, the program rebuilds the neighbour
//! lists and reads the energies. Energy must be conserved. At the end, the CPU recomputes some
//! forces from all pairs.

use crate::error::Error;
use crate::measurement::case::Scale;
use crate::measurement::cuda_driver::{MeasuredGpu, Pinned, ok};
use crate::measurement::random::Random;
use crate::measurement::stopwatch::{Stopwatch, Unit};
use outhaul_abi::types::*;

const DENSITY: f64 = 0.8442;
const TEMPERATURE: f64 = 1.44;
const STEP: f32 = 0.005;
const CUTOFF: f64 = 2.5;
const REACH: f32 = 2.8;
const STEPS: usize = 100;
const REBUILD_EVERY: usize = 20;
const CELL_PARTICLES_MAX: usize = 64;
const NEIGHBOURS_MAX: usize = 128;
const THREADS: u32 = 256;
const SHARES: usize = 128;
const TIMES: usize = 3;
/// Number of checked energies after the first: those of a warm-up call and of one timed call. Slow
/// machines time only one call. Power measurements make many more, and single precision does not
/// conserve energy forever.
const TIMED_READINGS: usize = 2 * STEPS / REBUILD_EVERY;
const CHECKED: usize = 24;
/// Maximum drift of the energy, as a fraction of the kinetic energy. The force's cutoff and single
/// precision cause less than this drift.
const DRIFT_MAX: f64 = 0.003;
const SEED: u64 = 87_287;

struct Kernels {
    drift: CUfunction,
    kick: CUfunction,
    bin: CUfunction,
    order: CUfunction,
    neighbours: CUfunction,
    forces: CUfunction,
    energies: CUfunction,
    total: CUfunction,
}

struct System {
    kernels: Kernels,
    count: usize,
    side: f32,
    cells: usize,
    position: CUdeviceptr,
    velocity: CUdeviceptr,
    force: CUdeviceptr,
    counts: CUdeviceptr,
    members: CUdeviceptr,
    list: CUdeviceptr,
    listed: CUdeviceptr,
    overflow: CUdeviceptr,
    shares: CUdeviceptr,
    energy: CUdeviceptr,
    read: Pinned<[f64; 2]>,
    /// Potential and kinetic energy at each reading.
    history: Vec<[f64; 2]>,
}

/// Measures the case.
pub fn run(scale: Scale, watch: &mut Stopwatch) -> Result<(), Error> {
    let sides: &[usize] = match scale {
        Scale::Small => &[6, 8],
        Scale::Full => &[20, 40, 76],
    };
    for side in sides {
        let mut particles = System::new(&watch.gpu, *side)?;
        let what = format!("{} particles, one step", particles.count);
        let unit =
            Unit { at_once: STEPS, size: Some(particles.count as f64), ..Unit::new(&what, TIMES) };
        let mut sample = watch.time(&unit, |gpu| particles.advance(gpu))?;
        particles.check(&watch.gpu)?;
        let [potential, kinetic] = particles.history[TIMED_READINGS];
        sample.result = Some(format!(
            "energy {:.9} {:.9}",
            potential / particles.count as f64,
            kinetic / particles.count as f64
        ));
        watch.emit(&sample);
        particles.free(&watch.gpu)?;
    }
    Ok(())
}

impl Kernels {
    fn load(gpu: &MeasuredGpu) -> Result<Kernels, Error> {
        let names =
            [c"drift", c"kick", c"bin", c"order", c"neighbours", c"forces", c"energies", c"total"];
        let [drift, kick, bin, order, neighbours, forces, energies, total] =
            gpu.functions(include_str!("../kernels/particles.ptx"), names)?;
        Ok(Kernels { drift, kick, bin, order, neighbours, forces, energies, total })
    }
}

impl System {
    /// Makes a crystal of `4 * cubes^3` particles, with its first energies.
    fn new(gpu: &MeasuredGpu, cubes: usize) -> Result<System, Error> {
        let count = 4 * cubes * cubes * cubes;
        let side = (count as f64 / DENSITY).cbrt();
        let cells = (side / f64::from(REACH)) as usize;
        let cell_count = cells * cells * cells;
        let mut particles = System {
            kernels: Kernels::load(gpu)?,
            count,
            side: side as f32,
            cells,
            position: gpu.place(&crystal(cubes, side))?,
            velocity: gpu.place(&velocities(count))?,
            force: gpu.allocate(count * 16)?,
            counts: gpu.allocate(cell_count * 4)?,
            members: gpu.allocate(cell_count * CELL_PARTICLES_MAX * 4)?,
            list: gpu.allocate(count * NEIGHBOURS_MAX * 4)?,
            listed: gpu.allocate(count * 4)?,
            overflow: gpu.allocate(4)?,
            shares: gpu.allocate(SHARES * 16)?,
            energy: gpu.allocate(16)?,
            read: gpu.pin(1)?,
            history: Vec::new(),
        };
        particles.rebuild(gpu)?;
        particles.forces(gpu)?;
        particles.energies(gpu)?;
        Ok(particles)
    }

    fn each(
        &self,
        gpu: &MeasuredGpu,
        function: CUfunction,
        of: usize,
        arguments: &[u64],
    ) -> Result<(), Error> {
        gpu.launch(function, of.div_ceil(THREADS as usize), THREADS, gpu.stream, arguments)
    }

    fn advance(&mut self, gpu: &MeasuredGpu) -> Result<(), Error> {
        let (count, step) = (self.count as u64, u64::from(STEP.to_bits()));
        for i in 1..=STEPS {
            self.each(
                gpu,
                self.kernels.drift,
                self.count,
                &[self.position, self.velocity, self.force, count, step],
            )?;
            if i % REBUILD_EVERY == 0 {
                self.rebuild(gpu)?;
            }
            self.forces(gpu)?;
            self.each(
                gpu,
                self.kernels.kick,
                self.count,
                &[self.velocity, self.force, count, step],
            )?;
            if i % REBUILD_EVERY == 0 {
                self.energies(gpu)?;
            }
        }
        Ok(())
    }

    /// Rebuilds the cells and the neighbour lists.
    fn rebuild(&self, gpu: &MeasuredGpu) -> Result<(), Error> {
        let (count, side, cells) =
            (self.count as u64, u64::from(self.side.to_bits()), self.cells as u64);
        let (capacity, cell_count) =
            (CELL_PARTICLES_MAX as u64, self.cells * self.cells * self.cells);
        // SAFETY: `counts` has a 32-bit number for each cell.
        ok("cuMemsetD8Async", unsafe {
            gpu.driver.cuMemsetD8Async(self.counts, 0, cell_count * 4, gpu.stream)
        })?;
        self.each(
            gpu,
            self.kernels.bin,
            self.count,
            &[self.position, count, side, cells, self.counts, self.members, capacity],
        )?;
        self.each(
            gpu,
            self.kernels.order,
            cell_count,
            &[cell_count as u64, self.counts, self.members, capacity],
        )?;
        let (reach, longest) = (u64::from(REACH.to_bits()), NEIGHBOURS_MAX as u64);
        let cells = [self.position, count, side, cells, self.counts, self.members, capacity];
        let lists = [reach, self.list, self.listed, longest, self.overflow];
        self.each(gpu, self.kernels.neighbours, self.count, &[&cells[..], &lists[..]].concat())
    }

    fn forces(&self, gpu: &MeasuredGpu) -> Result<(), Error> {
        let side = u64::from(self.side.to_bits());
        self.each(
            gpu,
            self.kernels.forces,
            self.count,
            &[self.position, self.count as u64, side, self.list, self.listed, self.force],
        )
    }

    /// Sums the energies and reads them.
    fn energies(&mut self, gpu: &MeasuredGpu) -> Result<(), Error> {
        let arguments = [self.velocity, self.force, self.count as u64, self.shares];
        gpu.launch(self.kernels.energies, SHARES, THREADS, gpu.stream, &arguments)?;
        gpu.launch(
            self.kernels.total,
            1,
            32,
            gpu.stream,
            &[self.shares, SHARES as u64, self.energy],
        )?;
        gpu.fetch(&mut self.read, self.energy, gpu.stream)?;
        gpu.wait(gpu.stream)?;
        self.history.push(self.read[0]);
        Ok(())
    }

    fn check(&self, gpu: &MeasuredGpu) -> Result<(), Error> {
        let wrong = |what: String| Err(Error::Bench(format!("particles: {what}")));
        let lost: u32 = gpu.read::<u32>(self.overflow, 1)?[0];
        if lost > 0 {
            return wrong(format!("{lost} lists or cells were too short"));
        }
        let [potential, kinetic] = self.history[0];
        for [potential_now, kinetic_now] in self.history.iter().take(TIMED_READINGS + 1) {
            let drift = (potential_now + kinetic_now - potential - kinetic).abs() / kinetic;
            if drift > DRIFT_MAX || drift.is_nan() {
                return wrong(format!(
                    "the energy drifted by {drift:.4} of the kinetic; {DRIFT_MAX} is allowed"
                ));
            }
        }
        self.rebuild(gpu)?;
        self.forces(gpu)?;
        gpu.synchronize()?;
        let (positions, forces) = (
            gpu.read::<[f32; 4]>(self.position, self.count)?,
            gpu.read::<[f32; 4]>(self.force, self.count)?,
        );
        for i in (0..CHECKED).map(|k| k * self.count / CHECKED) {
            let expected = force(&positions, i, f64::from(self.side));
            let apart = (0..3)
                .map(|axis| (expected[axis] - f64::from(forces[i][axis])).abs())
                .fold(0.0, f64::max);
            let size = expected.iter().map(|f| f.abs()).fold(0.0, f64::max);
            if apart > 0.02 + 0.002 * size || apart.is_nan() {
                return wrong(format!(
                    "particle {i} is pulled by {:?}; {expected:.4?} is right",
                    &forces[i][..3]
                ));
            }
        }
        Ok(())
    }

    fn free(self, gpu: &MeasuredGpu) -> Result<(), Error> {
        let memory =
            [self.position, self.velocity, self.force, self.counts, self.members, self.list];
        memory
            .into_iter()
            .chain([self.listed, self.overflow, self.shares, self.energy])
            .try_for_each(|memory| gpu.free(memory))
    }
}

/// Returns the particles' positions in a face-centred cubic crystal.
fn crystal(cubes: usize, side: f64) -> Vec<[f32; 4]> {
    let spacing = side / cubes as f64;
    let corners = [[0.25, 0.25, 0.25], [0.75, 0.75, 0.25], [0.75, 0.25, 0.75], [0.25, 0.75, 0.75]];
    let mut positions = Vec::with_capacity(4 * cubes * cubes * cubes);
    for place in 0..cubes * cubes * cubes {
        let [x, y, z] =
            [place % cubes, place / cubes % cubes, place / cubes / cubes].map(|c| c as f64);
        positions.extend(
            corners
                .map(|[a, b, c]| [x + a, y + b, z + c])
                .map(|[x, y, z]| [x, y, z, 0.0].map(|c| (c * spacing) as f32)),
        );
    }
    positions
}

/// Returns velocities for the temperature, without total momentum.
fn velocities(count: usize) -> Vec<[f32; 4]> {
    let mut random = Random::new(SEED);
    let mut velocities: Vec<[f64; 3]> =
        (0..count).map(|_| std::array::from_fn(|_| random.fraction() - 0.5)).collect();
    let mean: [f64; 3] =
        std::array::from_fn(|axis| velocities.iter().map(|v| v[axis]).sum::<f64>() / count as f64);
    velocities.iter_mut().for_each(|v| (0..3).for_each(|axis| v[axis] -= mean[axis]));
    let square: f64 = velocities.iter().flatten().map(|v| v * v).sum();
    let scale = (3.0 * count as f64 * TEMPERATURE / square).sqrt();
    velocities
        .iter()
        .map(|[x, y, z]| [x * scale, y * scale, z * scale, 0.0].map(|v| v as f32))
        .collect()
}

/// Returns the force on one particle from all others, in double precision.
fn force(positions: &[[f32; 4]], i: usize, side: f64) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (j, other) in positions.iter().enumerate() {
        let apart: [f64; 3] = std::array::from_fn(|axis| {
            let d = f64::from(positions[i][axis]) - f64::from(other[axis]);
            d - side * (d / side).round()
        });
        let square: f64 = apart.iter().map(|d| d * d).sum();
        if j == i || square >= CUTOFF * CUTOFF {
            continue;
        }
        let r6 = square.powi(-3);
        let pull = 24.0 * r6 * (2.0 * r6 - 1.0) / square;
        (0..3).for_each(|axis| sum[axis] += pull * apart[axis]);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_crystal_pulls_nowhere() {
        let side = (4.0 * 216.0 / DENSITY).cbrt();
        let positions = crystal(6, side);
        assert_eq!(positions.len(), 864);
        assert!(force(&positions, 5, side).iter().all(|f| f.abs() < 1e-3));
    }

    #[test]
    fn two_particles_push_each_other_apart_when_near() {
        let positions = [[0.0, 0.0, 0.0, 0.0], [9.0, 0.0, 0.0, 0.0]];
        let [x, y, z] = force(&positions, 0, 10.0);
        assert!((x - 24.0).abs() < 1e-9 && y == 0.0 && z == 0.0, "{x} {y} {z}");
    }

    #[test]
    fn velocities_have_the_temperature_and_no_drift() {
        let velocities = velocities(4000);
        let square: f64 = velocities.iter().flat_map(|v| &v[..3]).map(|v| f64::from(v * v)).sum();
        assert!((square / 3.0 / 4000.0 - TEMPERATURE).abs() < 1e-4);
        let sum = |axis: usize| velocities.iter().map(|v| f64::from(v[axis])).sum::<f64>();
        assert!((0..3).all(|axis| sum(axis).abs() < 0.01));
    }
}
