use outhaul_softgpu::engine::Program;
use std::sync::Arc;
fn main() {
    let list = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    for line in list.lines().filter(|l| !l.trim().is_empty()) {
        let (regs, body) = ("", line);
        let text = format!(".version 8.8\n.target sm_90\n.address_size 64\n.shared .align 128 .b8 sh[4096];\n.global .texref tx;\n.visible .entry k(.param .u64 p) {{\n.reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<40>; .reg .f64 %fd<16>; .reg .b128 %q<4>;\n{regs}\n{body}\nret;\n}}\n").replace(".global .texref tx;\n", "");
        match Program::parse(&[&text]) {
            Err(e) => println!("REFUSED parse  {line}   {e}"),
            Ok(p) => {
                let p = Arc::new(p);
                match p.kernel("k").unwrap().prepare() {
                    Ok(()) => println!("ok {line}"),
                    Err(e) => println!("REFUSED  {line}   {e}"),
                }
            }
        }
    }
}
