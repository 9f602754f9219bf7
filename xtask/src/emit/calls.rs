//! Emits, for the conformance suite, the parameters of each function, so that it can draw wrong
//! arguments for every one.

use crate::emit::signature::{HEADER, c_type};
use crate::spec::{Class, Param, Spec};
use std::fmt::Write;

/// Returns the text of tests/conformance/src/generated/parameters.rs.
pub fn parameters(spec: &Spec) -> String {
    let mut out = format!(
        "{HEADER}\n\
        /// The implemented functions: the exported name, and each parameter's name and C type.\n\
        pub const FUNCTIONS: &[(&str, &[(&str, &str)])] = &[\n"
    );
    for f in spec.functions.iter().filter(|f| f.class != Class::Unsupported) {
        let of = |p: &Param| format!("({:?}, {:?})", p.name, c_type(p));
        let params: Vec<String> = f.params.iter().flatten().map(of).collect();
        let _ = writeln!(out, "    ({:?}, &[{}]),", f.name, params.join(", "));
    }
    out.push_str("];\n");
    out
}
