//! The instructions that are compiled here: what each may carry, how many operands it has at least, and which of them it writes. The lowering refuses
//! what is not in the table, the search for what lives across waits asks it what is written, and the page of what runs is made from it.

use super::opcode::Opcode;
use crate::engine::syntax::ir::Operand;
use crate::engine::syntax::types::Ty;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Results {
    /// None, whatever the first operand is. (An address is never written, so `st` needs no word of its own.)
    None,
    First,
    /// The first operand if the opcode has `.red`.
    IfReduces,
    /// The first operand if it is a list.
    IfListed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Modifiers {
    /// Words that may follow the name in any order, beside types and cache hints.
    These(&'static str),
    /// The lowering looks at the whole opcode.
    Whole,
}

pub struct Entry {
    base: &'static str,
    results: Results,
    operands_min: usize,
    modifiers: Modifiers,
}

const fn entry(base: &'static str, results: Results, operands_min: usize, modifiers: &'static str) -> Entry {
    Entry { base, results, operands_min, modifiers: Modifiers::These(modifiers) }
}

const fn whole(base: &'static str, results: Results) -> Entry {
    Entry { base, results, operands_min: 0, modifiers: Modifiers::Whole }
}

use Results::{First, IfListed, IfReduces, None as Nothing};

const LOADS: &str = "weak volatile relaxed acquire mmio cta cluster gpu sys global local const param param::entry param::func \
                     shared shared::cta shared::cluster ca cg cs lu cv nc unified v2 v4 v8";
const STORES: &str = "weak volatile relaxed release mmio cta cluster gpu sys global local param param::func \
                      shared shared::cta shared::cluster wb cg cs wt v2 v4 v8";
const ATOMICS: &str = "relaxed acquire release acq_rel cta cluster gpu sys global shared shared::cta shared::cluster noftz \
                       v2 v4 v8 and or xor cas exch add inc dec min max";
const RELATIONS: &str = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz";
const SPACES: &str = "to global local const param param::entry shared shared::cta shared::cluster";
const FENCES: &str = "sc acq_rel acquire release cta gl cluster gpu sys proxy alias async async.global global shared::cta shared::cluster \
                      tensormap::generic";
const SURFACES: &str = "b 1d 2d 3d a1d a2d cube acube v2 v4 trap clamp zero ca cg cs cv wb wt";

/// By name.
#[rustfmt::skip]
pub const INSTRUCTIONS: &[Entry] = &[
    entry("abs", First, 2, "ftz"),
    entry("activemask", First, 1, ""),
    entry("add", First, 3, "rn rz rm rp ftz sat cc"),
    entry("addc", First, 3, "cc"),
    entry("alloca", First, 2, ""),
    entry("and", First, 3, ""),
    entry("applypriority", Nothing, 1, "global"),
    entry("atom", First, 3, ATOMICS),
    entry("bar", IfReduces, 1, "cta warp sync arrive red popc and or"),
    entry("barrier", IfReduces, 0, "cta cluster sync arrive wait red aligned popc and or release relaxed acquire"),
    entry("bfe", First, 4, ""),
    entry("bfi", First, 5, ""),
    entry("bfind", First, 2, "shiftamt"),
    entry("bmsk", First, 3, "clamp wrap"),
    entry("bra", Nothing, 1, "uni"),
    entry("brev", First, 2, ""),
    entry("brkpt", Nothing, 0, ""),
    entry("brx", Nothing, 2, "idx uni"),
    entry("call", IfListed, 1, "uni"),
    entry("clz", First, 2, ""),
    entry("cnot", First, 2, ""),
    entry("copysign", First, 3, ""),
    entry("cos", First, 2, "approx ftz"),
    whole("cp", Nothing),
    whole("createpolicy", First),
    entry("cvt", First, 2, "rn rz rm rp rna rni rzi rmi rpi ftz sat relu satfinite tf32"),
    entry("cvta", First, 2, SPACES),
    entry("discard", Nothing, 1, "global L2"),
    entry("div", First, 3, "rn rz rm rp approx full ftz"),
    entry("dp2a", First, 4, "lo hi"),
    entry("dp4a", First, 4, ""),
    entry("elect", First, 2, "sync"),
    entry("ex2", First, 2, "approx ftz"),
    entry("exit", Nothing, 0, ""),
    entry("fence", Nothing, 0, FENCES),
    entry("fma", First, 4, "rn rz rm rp ftz sat relu"),
    entry("fns", First, 4, ""),
    entry("getctarank", First, 2, "shared::cluster"),
    whole("griddepcontrol", Nothing),
    entry("isspacep", First, 2, SPACES),
    entry("ld", First, 2, LOADS),
    whole("ldmatrix", First),
    entry("ldu", First, 2, "global v2 v4"),
    entry("lg2", First, 2, "approx ftz"),
    entry("lop3", First, 5, "and or"),
    entry("mad", First, 4, "lo hi wide sat cc rn rz rm rp ftz"),
    entry("mad24", First, 4, "lo hi sat"),
    entry("madc", First, 4, "lo hi cc"),
    entry("mapa", First, 3, "shared::cluster"),
    entry("match", First, 3, "any all sync"),
    entry("max", First, 3, "ftz NaN xorsign abs relu"),
    whole("mbarrier", First),
    entry("membar", Nothing, 0, FENCES),
    entry("min", First, 3, "ftz NaN xorsign abs relu"),
    whole("mma", First),
    entry("mov", First, 2, ""),
    whole("movmatrix", First),
    entry("mul", First, 3, "lo hi wide rn rz rm rp ftz sat"),
    entry("mul24", First, 3, "lo hi"),
    entry("nanosleep", Nothing, 1, ""),
    entry("neg", First, 2, "ftz"),
    entry("not", First, 2, ""),
    entry("or", First, 3, ""),
    entry("pmevent", Nothing, 0, "mask"),
    entry("popc", First, 2, ""),
    entry("prefetch", Nothing, 1, "global local const param tensormap L1 L2"),
    entry("prefetchu", Nothing, 1, "L1"),
    entry("prmt", First, 4, "f4e b4e rc8 ecl ecr rc16"),
    entry("rcp", First, 2, "approx rn rz rm rp ftz"),
    entry("red", Nothing, 2, ATOMICS),
    entry("redux", First, 3, "sync add min max and or xor"),
    entry("rem", First, 3, ""),
    entry("ret", Nothing, 0, "uni"),
    entry("rsqrt", First, 2, "approx ftz"),
    entry("sad", First, 4, ""),
    entry("selp", First, 4, ""),
    entry("set", First, 3, RELATIONS),
    entry("setp", First, 3, RELATIONS),
    entry("shf", First, 4, "l r clamp wrap"),
    entry("shfl", First, 4, "sync up down bfly idx"),
    entry("shl", First, 3, ""),
    entry("shr", First, 3, ""),
    entry("sin", First, 2, "approx ftz"),
    entry("slct", First, 4, "ftz"),
    entry("sqrt", First, 2, "approx rn rz rm rp ftz"),
    entry("st", Nothing, 2, STORES),
    entry("stackrestore", Nothing, 1, ""),
    entry("stacksave", First, 1, ""),
    whole("stmatrix", Nothing),
    entry("sub", First, 3, "rn rz rm rp ftz sat cc"),
    entry("subc", First, 3, "cc"),
    entry("suld", First, 2, SURFACES),
    entry("suq", First, 2, "width height depth"),
    entry("sust", Nothing, 2, SURFACES),
    entry("szext", First, 3, "clamp wrap"),
    entry("tanh", First, 2, "approx"),
    entry("testp", First, 2, "finite infinite number notanumber normal subnormal"),
    entry("tex", First, 2, "1d 2d 3d a1d a2d cube acube level grad v2 v4"),
    entry("tld4", First, 2, "r g b a 2d a2d cube acube v2 v4"),
    entry("trap", Nothing, 0, ""),
    entry("txq", First, 2, "width height depth num_mipmap_levels normalized_coords"),
    entry("vote", First, 3, "sync any all uni ballot"),
    whole("wmma", First),
    entry("xor", First, 3, ""),
];

pub fn entry_of(base: &str) -> Option<&'static Entry> {
    INSTRUCTIONS.binary_search_by(|entry| entry.base.cmp(base)).ok().map(|index| &INSTRUCTIONS[index])
}

impl Entry {
    /// The first modifier that the instruction does not have. A word that passed would be ignored by the lowering, and the kernel would silently do
    /// something else.
    pub fn unknown_modifier<'a>(&self, op: Opcode<'a>) -> Option<&'a str> {
        let Modifiers::These(words) = self.modifiers else { return None };
        // Cache hints name their level before a colon and never change a result.
        let is_known = |word: &str| {
            Ty::parse(word).is_some() || word.starts_with("L1::") || word.starts_with("L2::") || words.split(' ').any(|known| known == word)
        };
        op.modifiers().find(|word| !is_known(word))
    }

    pub fn operands_min(&self) -> usize {
        self.operands_min
    }
}

/// The operand whose registers an instruction writes. One that the table does not have is refused later, whatever is said of it here.
pub fn written<'o>(op: Opcode<'_>, operands: &'o [Operand]) -> Option<&'o Operand> {
    let first = operands.first().filter(|first| !matches!(first, Operand::Address(..) | Operand::Tuple(_)))?;
    let writes = match entry_of(op.base).map_or(First, |entry| entry.results) {
        Nothing => false,
        First => true,
        IfReduces => op.has("red"),
        IfListed => matches!(first, Operand::List(_)),
    };
    writes.then_some(first)
}

/// The operands that an instruction reads: all others, and addresses wherever they stand.
pub fn read<'o>(op: Opcode<'_>, operands: &'o [Operand]) -> &'o [Operand] {
    if written(op, operands).is_some() { &operands[1..] } else { operands }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_is_found() {
        for pair in INSTRUCTIONS.windows(2) {
            assert!(pair[0].base < pair[1].base, "{} before {}", pair[0].base, pair[1].base);
        }
        INSTRUCTIONS.iter().for_each(|entry| assert!(entry_of(entry.base).is_some(), "{}", entry.base));
    }

    #[test]
    fn an_instruction_has_modifiers_of_its_own() {
        let unknown = |text| {
            let op = Opcode::new(text);
            entry_of(op.base).map(|entry| entry.unknown_modifier(op))
        };
        assert_eq!(unknown("add.rn.ftz.f32"), Some(None));
        assert_eq!(unknown("add.lo.s32"), Some(Some("lo")));
        assert_eq!(unknown("ld.global.nc.L1::no_allocate.L2::128B.v4.f32"), Some(None));
        assert_eq!(unknown("st.global.nc.f32"), Some(Some("nc")));
        assert_eq!(unknown("wgmma.fence.sync.aligned"), None);
    }

    #[test]
    fn what_is_written_is_known() {
        let reg = Operand::Reg(1);
        let at = |text, operands: &[Operand]| written(Opcode::new(text), operands).is_some();
        let address = Operand::Address(Box::new(Operand::Reg(2)), 0);
        assert!(at("bar.red.popc.u32", &[reg.clone(), Operand::Int(0), Operand::Reg(3)]));
        assert!(
            !at("bar.sync", std::slice::from_ref(&reg))
                && !at("nanosleep.u32", std::slice::from_ref(&reg))
                && !at("brx.idx", std::slice::from_ref(&reg))
        );
        assert!(!at("st.global.u32", &[address.clone(), reg.clone()]) && !at("mbarrier.init.b64", &[address, reg.clone()]));
        assert!(at("call", &[Operand::List(vec![reg.clone()]), Operand::Name("f".into(), 0)]));
        assert!(!at("call", &[Operand::Name("f".into(), 0), Operand::List(vec![reg])]));
    }
}
