//! Text that several emitters share: the first line of generated files, and C parameter lists.

use crate::spec::{Param, ParamType};

/// First line of each generated file.
pub const HEADER: &str = "// Written by `cargo xtask codegen` from spec/cuda; change that.\n";

/// Returns a parameter's type in the C ABI.
pub fn c_type(param: &Param) -> String {
    match &param.ty {
        ParamType::Plain(ty) => ty.clone(),
        ParamType::In(ty) | ParamType::InArray { element: ty, .. } => format!("*const {ty}"),
        ParamType::Out(ty) | ParamType::OptionalOut(ty) => format!("*mut {ty}"),
    }
}

/// Returns a parameter list `name: type, ...` with C ABI types.
pub fn c_params(params: &[Param]) -> String {
    params.iter().map(|p| format!("{}: {}", p.name, c_type(p))).collect::<Vec<_>>().join(", ")
}

/// Returns the parameter names, separated by commas.
pub fn names(params: &[Param]) -> String {
    params.iter().map(|p| p.name.clone()).collect::<Vec<_>>().join(", ")
}
