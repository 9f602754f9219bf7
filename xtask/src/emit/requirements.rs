//! Emits the checks of arguments that the spec's requirements describe.

use crate::spec::requirements::Requirement;
use crate::spec::{Class, Function, Param, Spec};

/// Starts of the names of functions that need no current context.
const CONTEXT_FREE: [&str; 12] = [
    "cuInit",
    "cuDevice",
    "cuCtxCreate",
    "cuGraph",
    "cuUserObject",
    "cuMemPool",
    "cuMemAddress",
    "cuMemCreate",
    "cuMemGetAllocation",
    "cuMemMap",
    "cuLibrary",
    "cuKernel",
];

/// Returns code that refuses arguments that the function does not accept.
pub fn requirement_checks(spec: &Spec, f: &Function) -> String {
    let is_free = CONTEXT_FREE.iter().any(|start| f.name.starts_with(start));
    let check = |condition: Condition| {
        let require = match (condition.otherwise, is_free) {
            (Otherwise::OutOfMemory, _) => "require_room",
            (Otherwise::NotSupported, _) => "require_support",
            (Otherwise::InvalidValue, true) => "require",
            (Otherwise::InvalidValue, false) => "require_in_context",
        };
        format!("arguments::{require}({})?; ", condition.holds)
    };
    conditions(spec, f).into_iter().map(check).collect()
}

/// A condition of a function's arguments.
struct Condition {
    /// A Rust expression over the parameters.
    holds: String,
    otherwise: Otherwise,
}

/// The error that the function gives if a condition does not hold.
#[derive(Clone, Copy)]
enum Otherwise {
    InvalidValue,
    OutOfMemory,
    NotSupported,
}

/// Returns the conditions of a function's arguments, in the order of the parameters. A post that
/// sends another function's message has that function's conditions too.
fn conditions(spec: &Spec, f: &Function) -> Vec<Condition> {
    let mut all = Vec::new();
    if let Class::PostLike { other } = &f.class {
        all.extend(spec.functions.iter().filter(|g| g.name == *other).flat_map(own));
    }
    all.extend(own(f));
    all
}

fn own(f: &Function) -> Vec<Condition> {
    let of = |p: &Param| -> Vec<Condition> {
        let condition = |r: &Requirement| Condition {
            holds: r.condition(&p.name),
            otherwise: match r {
                Requirement::Room => Otherwise::OutOfMemory,
                _ => Otherwise::InvalidValue,
            },
        };
        p.requirements.iter().map(condition).collect()
    };
    let all = |conditions: &[String], otherwise| -> Vec<Condition> {
        conditions.iter().map(|holds| Condition { holds: holds.clone(), otherwise }).collect()
    };
    let of_function =
        [all(&f.requires, Otherwise::InvalidValue), all(&f.supports, Otherwise::NotSupported)];
    f.params.iter().flatten().flat_map(of).chain(of_function.into_iter().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::conditions;
    use crate::spec::ops_lock::Lock;
    use crate::spec::parse;

    fn of(functions: &str) -> Result<Vec<String>, String> {
        let text = [("spec.rs".to_owned(), functions.to_owned())];
        let spec = parse::parse(&text, &mut Lock::parse("").unwrap())?;
        Ok(conditions(&spec, &spec.functions[0]).into_iter().map(|c| c.holds).collect())
    }

    #[test]
    fn conditions_follow_the_parameters_and_then_the_function() {
        let found = of("#[local] #[supports(f < 2)] #[requires(a <= n)]
            fn cuA(#[aligned(4)] a: u64, #[flags(0x3)] f: u32, #[one_of(0..=3 | 7)] e: i32,
                #[at_least(1)] n: u64);");
        let expected = [
            "a.is_multiple_of(4)",
            "f & !(0x3) == 0",
            "matches!(e, 0 ..= 3 | 7)",
            "n >= 1",
            "a <= n",
            "f < 2",
        ];
        assert_eq!(found.unwrap(), expected);
    }

    #[test]
    fn a_post_has_the_conditions_of_the_function_whose_message_it_sends() {
        let found = of("const HANDLES: [&str; 1] = [\"CUstream\"];
            #[ptds(1)] #[post(like = cuB)] fn cuA(a: u64);
            #[ptsz(1)] #[post(op = 9)] #[does(compute, bytes = a)]
            fn cuB(#[aligned(2)] a: u64, hStream: CUstream);");
        assert_eq!(found.unwrap(), ["a.is_multiple_of(2)"]);
    }

    #[test]
    fn an_unknown_attribute_is_refused() {
        let error = of("#[local] fn cuA(#[even] a: u64);").unwrap_err();
        assert!(error.contains("cuA") && error.contains("even"), "{error}");
    }
}
