//! Generates kernels, and initial values of registers. Numbers at the limits of their types are
//! more frequent.

use outhaul_softgpu::engine::{Ty, TypeKind};

use crate::evaluate::{NAN64, mask};
use crate::kernel::{
    CLASSES, Class, File, REGISTERS, Reg, Source, Statement, THREADS, Warp, all_registers,
};
use crate::opcode::{Op, Operand};

/// Pseudo-random numbers (xorshift64*) from a seed.
pub struct Chance(u64);

impl Chance {
    /// Returns a generator.
    pub fn new(seed: u64) -> Chance {
        let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        (0..4).for_each(|_| {
            chance.next();
        });
        chance
    }

    /// Returns the next number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() >> 33) as usize % end
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

/// Returns the class of registers that holds values of a type.
pub fn class_of(ty: Ty) -> Class {
    match (ty.kind, ty.bits) {
        (TypeKind::Pred, _) => Class::P,
        (TypeKind::Float, 32) => Class::F,
        (TypeKind::Float, 64) => Class::G,
        (_, 8 | 16) => Class::H,
        (_, 32) => Class::R,
        _ => Class::D,
    }
}

const EDGES: [u64; 12] = [0, 1, 2, 31, 32, 33, 63, 64, 255, 0x7F, 0x80, 0xAAAA_AAAA_AAAA_AAAA];
const FLOATS: [f64; 16] = [
    0.0,
    1.0,
    0.5,
    1.5,
    2.5,
    255.5,
    65504.0,
    65519.9,
    65520.0,
    6e-8,
    6.1e-5,
    3.4e38,
    1.2e-38,
    1e-45,
    2147483648.0,
    9.3e18,
];

/// Returns the bits of a number of so many bits.
fn edge(chance: &mut Chance, bits: u32) -> u64 {
    let top = 1u64 << (bits - 1);
    let value = match chance.below(5) {
        0 => chance.of(&EDGES),
        1 => top.wrapping_sub(chance.below(3) as u64),
        2 => mask(bits).wrapping_sub(chance.below(3) as u64),
        3 => 1 << chance.below(bits as usize),
        _ => chance.next(),
    };
    value & mask(bits)
}

/// Returns the bits of a float, or of two halves.
fn float(chance: &mut Chance, class: Class) -> u64 {
    let sign = if chance.one_in(2) { -1.0 } else { 1.0 };
    let value = match chance.below(8) {
        0 => f64::INFINITY,
        1 => f64::NAN,
        2 => return edge(chance, if class == Class::G { 64 } else { 32 }),
        3 => sign * (chance.below(2000) as f64 - 1000.0) / 8.0,
        _ => sign * chance.of(&FLOATS),
    };
    if class == Class::G { value.to_bits() } else { u64::from((value as f32).to_bits()) }
}

fn register(chance: &mut Chance, reg: Reg) -> u64 {
    const HALVES: [u64; 12] =
        [0, 0x8000, 0x3C00, 0xBC00, 0x7BFF, 0x7C00, 0xFC00, 0x7E01, 0x0001, 0x03FF, 0x0400, 0x3F80];
    let bits = match reg.0 {
        Class::P => return chance.next() >> 40 & 1,
        Class::F | Class::G => float(chance, reg.0),
        Class::H if chance.one_in(2) => chance.of(&HALVES),
        Class::R if chance.one_in(4) => chance.of(&HALVES) | chance.of(&HALVES) << 16,
        _ => edge(chance, reg.bits()),
    };
    if reg.0 == Class::G && f64::from_bits(bits).is_nan() { NAN64 } else { bits }
}

/// Returns the initial registers of the threads.
pub fn files(chance: &mut Chance) -> Vec<File> {
    let file = |chance: &mut Chance| {
        let mut file = [0; REGISTERS];
        all_registers().for_each(|reg| file[reg.index()] = register(chance, reg));
        file
    };
    (0..THREADS).map(|_| file(chance)).collect()
}

/// The position of a statement.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    /// Whether all threads execute it.
    together: bool,
    in_function: bool,
}

/// Returns a kernel.
pub fn kernel(chance: &mut Chance, operations: &[Op]) -> Vec<Statement> {
    let count = 4 + chance.below(24);
    body(chance, operations, Place { depth: 0, together: true, in_function: false }, count)
}

fn body(chance: &mut Chance, operations: &[Op], place: Place, count: usize) -> Vec<Statement> {
    (0..count).map(|_| statement(chance, operations, place)).collect()
}

fn pick(chance: &mut Chance, class: Class, place: Place) -> Reg {
    let count = match class {
        Class::P if place.in_function => 2,
        _ if place.in_function => 4,
        _ => CLASSES.iter().find(|(known, ..)| *known == class).map_or(1, |(.., count)| *count),
    };
    Reg(class, chance.below(count))
}

fn statement(chance: &mut Chance, operations: &[Op], place: Place) -> Statement {
    let reg = |chance: &mut Chance, class| pick(chance, class, place);
    let inner = Place { depth: place.depth + 1, ..place };
    let length = 1 + chance.below(5);
    match chance.below(24) {
        0 if place.depth < 3 => {
            let apart = Place { together: false, ..inner };
            let (then, other) = (
                body(chance, operations, apart, length),
                body(chance, operations, apart, length / 2),
            );
            Statement::If { on: reg(chance, Class::P), then, other }
        }
        1 if place.depth < 2 => Statement::Loop {
            times: 1 + chance.below(3),
            by: None,
            body: body(chance, operations, inner, length),
        },
        2 if place.depth < 2 => {
            let by = Some(reg(chance, Class::R));
            Statement::Loop {
                times: 0,
                by,
                body: body(chance, operations, Place { together: false, ..inner }, length),
            }
        }
        3 if !place.in_function && chance.one_in(3) => {
            let function = Place { in_function: true, ..inner };
            let body = body(chance, operations, function, length + 2);
            Statement::Call { to: reg(chance, Class::R), of: reg(chance, Class::R), body }
        }
        4 if !place.in_function && chance.one_in(3) => {
            let class = chance.of(&[Class::R, Class::F]);
            Statement::Spill { to: reg(chance, class), of: reg(chance, class) }
        }
        5..=9 if place.together => together(chance, place),
        5 => Statement::Wait { all: false },
        _ => operation(chance, operations, place),
    }
}

/// Returns a statement that all threads must execute.
fn together(chance: &mut Chance, place: Place) -> Statement {
    let reg = |chance: &mut Chance, class| pick(chance, class, place);
    match chance.below(7) {
        0 => Statement::Count { to: reg(chance, Class::R), of: reg(chance, Class::P) },
        1 => Statement::Agree {
            to: reg(chance, Class::P),
            of: reg(chance, Class::P),
            all: chance.one_in(2),
        },
        2 => Statement::Ballot { to: reg(chance, Class::R), of: reg(chance, Class::P) },
        3 | 4 => Statement::Shuffle {
            to: reg(chance, Class::R),
            inside: chance.one_in(2).then(|| pick(chance, Class::P, place)),
            of: reg(chance, Class::R),
            how: chance.of(&[Warp::Up, Warp::Down, Warp::Bfly, Warp::Idx]),
            by: chance.below(32),
        },
        5 if !place.in_function => Statement::Exchange {
            to: reg(chance, Class::R),
            of: reg(chance, Class::R),
            distance: chance.below(THREADS),
        },
        _ => Statement::Wait { all: chance.one_in(2) || chance.one_in(2) },
    }
}

fn operation(chance: &mut Chance, operations: &[Op], place: Place) -> Statement {
    loop {
        let op = chance.of(operations);
        let sources = op.sources();
        let types = sources
            .iter()
            .filter_map(|source| if let Operand::Value(ty) = source { Some(*ty) } else { None });
        let fits = |ty: Ty| matches!(class_of(ty), Class::P | Class::R);
        if place.in_function && !(fits(op.result()) && types.clone().all(fits)) {
            continue;
        }
        let to = value(chance, op.result(), place);
        let beside =
            op.writes_two().then(|| pick(chance, Class::P, place)).filter(|beside| *beside != to);
        if op.writes_two() && beside.is_none() {
            continue;
        }
        let from = sources.iter().map(|source| operand(chance, *source, place)).collect();
        let guard = chance.one_in(5).then(|| (pick(chance, Class::P, place), chance.one_in(2)));
        return Statement::Op { op, to, beside, from, guard };
    }
}

/// Returns a register for a type. Floats may also be in untyped registers.
fn value(chance: &mut Chance, ty: Ty, place: Place) -> Reg {
    let class = match class_of(ty) {
        Class::F if chance.one_in(3) => Class::R,
        Class::G if chance.one_in(3) => Class::D,
        class => class,
    };
    pick(chance, class, place)
}

fn operand(chance: &mut Chance, operand: Operand, place: Place) -> Source {
    let Operand::Value(ty) = operand else { return Source::Number(chance.next() as u8) };
    let literal = matches!(ty.kind, TypeKind::Unsigned | TypeKind::Signed | TypeKind::Bits)
        && ty.bits >= 16
        || ty.kind == TypeKind::Float && ty.bits >= 32;
    if !literal || !chance.one_in(5) {
        return Source::Reg(value(chance, ty, place));
    }
    let bits = match ty.kind {
        TypeKind::Float => float(chance, class_of(ty)),
        _ => edge(chance, ty.bits),
    };
    Source::Literal(ty, bits)
}
