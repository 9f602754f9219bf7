//! An opcode taken apart at its dots.

use crate::engine::syntax::ir::Space;
use crate::engine::syntax::types::Ty;

/// Every word that may follow the name of an instruction that is compiled here, beside types. A word that is not among them would be
/// ignored by the lowering, and the kernel would silently do something else.
#[rustfmt::skip]
const MODIFIERS: [&str; 163] = [
    "a", "acq_rel", "acquire", "add", "aligned", "all", "and", "any", "approx", "arrive", "b4e", "ballot", "bfly", "ca", "cas", "cc",
    "cg", "clamp", "cluster", "const", "cs", "cta", "cv", "dec", "down", "ecl", "ecr", "entry", "eq", "equ", "exch", "exit", "f4e",
    "finite", "ftz", "full", "func", "g", "ge", "generic", "geu", "gl", "global", "gpu", "gt", "gtu", "h0", "h1", "hi", "hs", "idx", "inc",
    "infinite", "l", "le", "leu", "lo", "local", "ls", "lt", "ltu", "lu", "max", "min", "mmio", "nan", "nc", "ne", "neg", "neu", "noftz",
    "noinc", "normal", "notanumber", "num", "number", "or", "param", "param::entry", "param::func", "popc", "pred", "r", "rc16", "rc8",
    "red", "relaxed", "release", "relu", "rm", "rmi", "rn", "rna", "rni", "rp", "rpi", "rz", "rzi", "s", "sat", "satfinite", "sc",
    "shared", "shared::cta", "shared::cluster", "shiftamt", "space", "subnormal", "sync", "sys", "tail", "to", "u", "unified", "uni", "up",
    "v2", "v4", "v8", "volatile", "warp", "wb", "weak", "wide", "wrap", "wt", "x", "xor", "y", "z", "b0", "b1", "b2", "b3", "f",
    "h", "proxy", "alias", "async", "abs", "xorsign", "level", "evict_last", "evict_normal", "NaN", "tf32",
    "1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "grad", "b", "trap", "zero", "width", "height", "depth", "num_mipmap_levels",
    "normalized_coords", "wait",
];

#[derive(Clone, Copy)]
pub struct Opcode<'a> {
    pub text: &'a str,
    pub base: &'a str,
}

impl<'a> Opcode<'a> {
    pub fn new(text: &'a str) -> Opcode<'a> {
        Opcode { text, base: text.split('.').next().unwrap_or(text) }
    }

    pub fn modifiers(self) -> impl Iterator<Item = &'a str> {
        self.text.split('.').skip(1)
    }

    /// The first modifier that no instruction has.
    pub fn unknown_modifier(self) -> Option<&'a str> {
        // Cache hints name their level before a colon and never change a result.
        self.modifiers().find(|m| Ty::parse(m).is_none() && !m.starts_with("L1::") && !m.starts_with("L2::") && !MODIFIERS.contains(m))
    }

    pub fn has(self, modifier: &str) -> bool {
        self.modifiers().any(|found| found == modifier)
    }

    /// The first of the given modifiers that the opcode has.
    pub fn one_of(self, choices: &[&'static str]) -> Option<&'static str> {
        self.modifiers().find_map(|found| choices.iter().copied().find(|&choice| choice == found))
    }

    pub fn types(self) -> impl Iterator<Item = Ty> {
        self.modifiers().filter_map(Ty::parse)
    }

    pub fn last_type(self) -> Option<Ty> {
        self.types().last()
    }

    /// `None` is the generic address space.
    pub fn space(self) -> Option<Space> {
        self.modifiers().find_map(|found| match found {
            "global" => Some(Space::Global),
            "shared" | "shared::cta" => Some(Space::Shared),
            "shared::cluster" => Some(Space::ClusterShared),
            "local" => Some(Space::Local),
            "const" => Some(Space::Const),
            "param" | "param::entry" | "param::func" => Some(Space::Param),
            _ => None,
        })
    }

    pub fn lanes(self) -> usize {
        match self.one_of(&["v2", "v4", "v8"]) {
            Some("v2") => 2,
            Some("v4") => 4,
            Some(_) => 8,
            None => 1,
        }
    }

    /// The rounding of a float result, in the encoding of `exec::half::Round`.
    pub fn rounding(self) -> u32 {
        match self.one_of(&["rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"]) {
            Some("rz" | "rzi") => 1,
            Some("rm" | "rmi") => 2,
            Some("rp" | "rpi") => 3,
            Some("rna") => 4,
            _ => 0,
        }
    }
}
