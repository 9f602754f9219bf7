//! Tests that the parser reports invalid PTX with a line number, and never panics.

use super::ir::Statement;
use super::parser::parse;
use crate::engine::CompileError;

const HEAD: &str = ".version 9.0\n.target sm_75\n.address_size 64\n";

const KERNEL: &str = ".visible .entry k(.param .u64 a, .param .align 8 .b8 s[24])\n.maxntid 128, \
1, 1\n{\n\
    .reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n.shared .align 4 .b8 buf[64];\n\
    ld.param.u64 %rd1, [a];\n{ .reg .b32 t; mov.b32 t, -1; }\n$L: setp.lt.s32 %p1, %r1, 0x10;\n\
    @!%p1 bra $L;\nst.global.v2.f32 [%rd1+-8], {%r1, 0f3F800000};\nret;\n}\n";

fn text(body: &str) -> String {
    format!("{HEAD}{body}")
}

#[test]
fn a_kernel_is_taken_apart() {
    let module = parse(&text(KERNEL)).unwrap();
    let kernel = &module.functions[0];
    assert_eq!(&*kernel.name, "k");
    assert_eq!(kernel.max_threads, Some([128, 1, 1]));
    assert_eq!(kernel.arguments[1].variable.size_bytes, 24);
    let body = kernel.body.as_ref().unwrap();
    assert_eq!(body.registers.len(), 10);
    let instructions = body.statements.iter().filter(|s| matches!(s, Statement::Instruction(_)));
    assert_eq!(instructions.count(), 6);
}

#[test]
fn errors_name_the_line() {
    let Err(CompileError::Syntax { line, .. }) =
        parse(&text(".visible .entry k()\n{\n  add.s32 %r1, ;\n}\n"))
    else {
        panic!("accepted")
    };
    assert_eq!(line, 6);
}

#[test]
fn newer_text_is_refused() {
    assert!(matches!(parse(".version 17.0\n.target sm_75\n"), Err(CompileError::TooNew(_))));
}

#[test]
fn limits_hold() {
    let registers = ".visible .entry k()\n{ .reg .b32 %r<4000000000>; }";
    assert!(matches!(parse(&text(registers)), Err(CompileError::TooLarge(_))));
    let nested = format!(".visible .entry k()\n{}", "{".repeat(100_000));
    assert!(matches!(parse(&text(&nested)), Err(CompileError::TooLarge(_))));
    let operand = format!(".visible .entry k()\n{{ mov.b32 {} ; }}", "[".repeat(100_000));
    assert!(matches!(parse(&text(&operand)), Err(CompileError::TooLarge(_))));
    let values = format!(".global .u32 a[4] = {};", "{".repeat(100_000));
    assert!(matches!(parse(&text(&values)), Err(CompileError::TooLarge(_))));
    let huge = ".global .b8 a[99999999999][99999999999];";
    assert!(matches!(parse(&text(huge)), Err(CompileError::TooLarge(_))));
}

#[test]
fn every_cut_and_every_changed_byte_is_survived() {
    let whole = text(&format!(".global .align 4 .u32 g[2] = {{1, generic(g)+4}};\n{KERNEL}"));
    for end in 0..whole.len() {
        let _ = parse(&whole[..end]);
    }
    for at in 0..whole.len() {
        for byte in [b'{', b'}', b'(', b'[', b'"', b'.', b'9', b'\0', b'%', b'/', b':', b';', b'<']
        {
            let mut changed = whole.clone().into_bytes();
            changed[at] = byte;
            let _ = parse(&String::from_utf8(changed).unwrap());
        }
    }
    let mut state = 1u32;
    for _ in 0..2000 {
        let noise: String = (0..200)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                char::from_u32(state >> 20 & 0x2FF).unwrap_or('{')
            })
            .collect();
        let _ = parse(&noise);
        let _ = parse(&text(&noise));
    }
}
