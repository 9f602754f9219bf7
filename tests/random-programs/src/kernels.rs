//! The kernels as PTX text that any GPU can run. Each runs as one block, so that its last thread
//! can report the end.
//!
//! * `stamp(p, n, base, step, count)`: p[i] = base + count * TURN + i * step, then count += 1.
//! * `bump(p, n, more)`: p[i] += more.
//! * `check(p, plan)`: compares the words with the plan for the current turn, then counts the turn.
//!   See `execute/table.rs` for the plan's words.
//! * `spin(ns)`: runs for `ns` nanoseconds.

/// Number of threads in the block.
pub const THREADS: u32 = 256;
/// Difference between the base values of a stamp in successive turns.
pub const TURN: u32 = 0x0101_9367;

pub const MODULE: &str = r#"
.version 6.0
.target sm_50
.address_size 64

.visible .entry stamp(.param .u64 p, .param .u32 n, .param .u32 base, .param .u32 step,
    .param .u64 count)
{
    .reg .pred %q, %z;
    .reg .b32 %r<10>;
    .reg .b64 %d<6>;
    ld.param.u64 %d0, [p];
    ld.param.u32 %r0, [n];
    ld.param.u32 %r1, [base];
    ld.param.u32 %r2, [step];
    ld.param.u64 %d1, [count];
    mov.u32 %r3, %tid.x;
    mov.u32 %r4, %ntid.x;
    ld.u32 %r5, [%d1];
    mul.lo.u32 %r6, %r5, 0x01019367;
    add.u32 %r1, %r1, %r6;
    mov.u32 %r7, %r3;
again:
    setp.ge.u32 %q, %r7, %r0;
    @%q bra over;
    mad.lo.u32 %r8, %r7, %r2, %r1;
    mul.wide.u32 %d2, %r7, 4;
    add.s64 %d3, %d0, %d2;
    st.u32 [%d3], %r8;
    add.u32 %r7, %r7, %r4;
    bra again;
over:
    bar.sync 0;
    setp.ne.u32 %z, %r3, 0;
    @%z bra done;
    add.u32 %r5, %r5, 1;
    st.u32 [%d1], %r5;
done:
    ret;
}

.visible .entry bump(.param .u64 p, .param .u32 n, .param .u32 more)
{
    .reg .pred %q;
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    ld.param.u64 %d0, [p];
    ld.param.u32 %r0, [n];
    ld.param.u32 %r1, [more];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ntid.x;
again:
    setp.ge.u32 %q, %r2, %r0;
    @%q bra done;
    mul.wide.u32 %d1, %r2, 4;
    add.s64 %d2, %d0, %d1;
    ld.u32 %r4, [%d2];
    add.u32 %r4, %r4, %r1;
    st.u32 [%d2], %r4;
    add.u32 %r2, %r2, %r3;
    bra again;
done:
    ret;
}

.visible .entry check(.param .u64 p, .param .u64 plan)
{
    .reg .pred %q, %z, %w;
    .reg .b32 %r<20>;
    .reg .b64 %d<12>;
    ld.param.u64 %d0, [p];
    ld.param.u64 %d1, [plan];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ntid.x;
    ld.u32 %r2, [%d1];
    mul.wide.u32 %d2, %r2, 8;
    add.s64 %d3, %d1, %d2;
    ld.u32 %r3, [%d3+32];
    ld.u32 %r4, [%d3+36];
    mul.wide.u32 %d4, %r3, 4;
    add.s64 %d5, %d1, %d4;
    mov.u32 %r5, 0;
runs:
    setp.ge.u32 %q, %r5, %r4;
    @%q bra over;
    ld.u32 %r6, [%d5];
    ld.u32 %r7, [%d5+4];
    ld.u32 %r8, [%d5+8];
    ld.u32 %r9, [%d5+12];
    mul.wide.u32 %d6, %r6, 4;
    add.s64 %d7, %d0, %d6;
    mov.u32 %r10, %r0;
words:
    setp.ge.u32 %q, %r10, %r7;
    @%q bra next;
    mul.wide.u32 %d8, %r10, 4;
    add.s64 %d9, %d7, %d8;
    ld.u32 %r11, [%d9];
    mad.lo.u32 %r12, %r10, %r9, %r8;
    setp.eq.u32 %z, %r11, %r12;
    @%z bra fine;
    add.s64 %d10, %d1, 4;
    atom.add.u32 %r13, [%d10], 1;
    setp.ne.u32 %w, %r13, 0;
    @%w bra fine;
    add.u32 %r14, %r10, %r6;
    st.u32 [%d1+8], %r14;
    st.u32 [%d1+12], %r11;
    st.u32 [%d1+16], %r12;
    st.u32 [%d1+20], %r2;
fine:
    add.u32 %r10, %r10, %r1;
    bra words;
next:
    add.u32 %r5, %r5, 1;
    add.s64 %d5, %d5, 16;
    bra runs;
over:
    bar.sync 0;
    setp.ne.u32 %q, %r0, 0;
    @%q bra done;
    add.u32 %r2, %r2, 1;
    st.u32 [%d1], %r2;
done:
    ret;
}

.visible .entry spin(.param .u32 ns)
{
    .reg .pred %q;
    .reg .b32 %r<2>;
    .reg .b64 %d<5>;
    ld.param.u32 %r0, [ns];
    cvt.u64.u32 %d0, %r0;
    mov.u64 %d1, %globaltimer;
again:
    mov.u64 %d2, %globaltimer;
    sub.u64 %d3, %d2, %d1;
    setp.lt.u64 %q, %d3, %d0;
    @%q bra again;
    ret;
}
"#;
