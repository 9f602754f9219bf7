//! Kernels as PTX texts, short enough to read.

/// `fill(p, n, value)`: p[i] = value + i.
/// `add(p, n, value)`: p[i] += value.
/// `spin(p, n)`: adds 1 to p[0], n times in sequence.
/// `wild(p)`: writes to the address p, even if p is invalid.
pub const MODULE: &str = r#"
.version 6.4
.target sm_75
.address_size 64

.visible .global .align 4 .u32 counter = 7;
.visible .const .align 4 .u32 factor[2] = {3, 5};

.visible .entry fill(.param .u64 p, .param .u32 n, .param .u32 value)
{
    .reg .pred %q;
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    ld.param.u64 %d0, [p];
    ld.param.u32 %r0, [n];
    ld.param.u32 %r1, [value];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %q, %r5, %r0;
    @%q bra done;
    cvta.to.global.u64 %d1, %d0;
    mul.wide.u32 %d2, %r5, 4;
    add.s64 %d3, %d1, %d2;
    add.u32 %r6, %r1, %r5;
    st.global.u32 [%d3], %r6;
done:
    ret;
}

.visible .entry add(.param .u64 p, .param .u32 n, .param .u32 value)
{
    .reg .pred %q;
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    ld.param.u64 %d0, [p];
    ld.param.u32 %r0, [n];
    ld.param.u32 %r1, [value];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %q, %r5, %r0;
    @%q bra done;
    cvta.to.global.u64 %d1, %d0;
    mul.wide.u32 %d2, %r5, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.u32 %r6, [%d3];
    add.u32 %r7, %r6, %r1;
    st.global.u32 [%d3], %r7;
done:
    ret;
}

.visible .entry spin(.param .u64 p, .param .u32 n)
{
    .reg .pred %q;
    .reg .b32 %r<4>;
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [p];
    ld.param.u32 %r0, [n];
    cvta.to.global.u64 %d1, %d0;
    mov.u32 %r1, 0;
again:
    ld.volatile.global.u32 %r2, [%d1];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%d1], %r2;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %q, %r1, %r0;
    @%q bra again;
    ret;
}

.visible .entry scaled(.param .u64 p)
{
    .reg .b32 %r<4>;
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [p];
    cvta.to.global.u64 %d1, %d0;
    ld.global.u32 %r0, [counter];
    ld.const.u32 %r1, [factor+4];
    mul.lo.u32 %r2, %r0, %r1;
    st.global.u32 [%d1], %r2;
    ret;
}

.visible .entry wild(.param .u64 p)
{
    .reg .b32 %r<1>;
    .reg .b64 %d<1>;
    ld.param.u64 %d0, [p];
    mov.u32 %r0, 1;
    st.global.u32 [%d0], %r0;
    ret;
}
"#;

/// `choose(condition, value)`: sets the condition to the value.
/// `count(condition, p, limit)`: p[0] += 1. Sets the condition to 1 while p[0] is below the limit,
/// else to 0.
pub const STEERING: &str = r#"
.version 6.4
.target sm_75
.address_size 64

.extern .func cudaGraphSetConditional(.param .b64 condition, .param .b32 value);

.visible .entry choose(.param .u64 condition, .param .u32 value)
{
    .reg .b32 %r<1>;
    .reg .b64 %d<1>;
    ld.param.u64 %d0, [condition];
    ld.param.u32 %r0, [value];
    {
    .param .b64 a;
    .param .b32 b;
    st.param.b64 [a], %d0;
    st.param.b32 [b], %r0;
    call.uni cudaGraphSetConditional, (a, b);
    }
    ret;
}

.visible .entry count(.param .u64 condition, .param .u64 p, .param .u32 limit)
{
    .reg .pred %q;
    .reg .b32 %r<3>;
    .reg .b64 %d<3>;
    ld.param.u64 %d0, [condition];
    ld.param.u64 %d1, [p];
    ld.param.u32 %r0, [limit];
    cvta.to.global.u64 %d2, %d1;
    ld.global.u32 %r1, [%d2];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%d2], %r1;
    setp.lt.u32 %q, %r1, %r0;
    selp.u32 %r2, 1, 0, %q;
    {
    .param .b64 a;
    .param .b32 b;
    st.param.b64 [a], %d0;
    st.param.b32 [b], %r2;
    call.uni cudaGraphSetConditional, (a, b);
    }
    ret;
}
"#;

/// Single-threaded kernels that communicate with the running program through shared memory.
/// Parameters have 64 bits, and values in memory have 32 bits. `limit` is in nanoseconds. `out`
/// receives 1, or 2 after a timeout.
///
/// * `poll(flag, value, out, limit)`: waits until flag[0] equals `value`.
/// * `poll_through(place, value, out, limit)`: like `poll`, except that `place` holds the flag's
///   address.
/// * `count(counter, stop, out, limit)`: counter[0] += 1, repeatedly, until stop[0] is not 0.
/// * `consume(ring, items, out, limit)`: takes items from a ring. Byte 0 holds the number of items
///   put in, and byte 64 the number taken. Byte 128 begins 32 slots of two words. Item i consists
///   of i + 1 and its complement. out[1] counts the wrong items.
/// * `produce(ring, items, out, limit)`: puts items into the ring.
pub const BESIDE: &str = r#"
.version 6.4
.target sm_75
.address_size 64

.visible .entry poll(.param .u64 flag, .param .u64 value, .param .u64 out, .param .u64 limit)
{
    .reg .pred %q<2>;
    .reg .b32 %r<4>;
    .reg .b64 %d<8>;
    ld.param.u64 %d0, [flag];
    ld.param.u64 %d1, [value];
    ld.param.u64 %d2, [out];
    ld.param.u64 %d3, [limit];
    cvta.to.global.u64 %d0, %d0;
    cvta.to.global.u64 %d2, %d2;
    cvt.u32.u64 %r0, %d1;
    mov.u64 %d4, %globaltimer;
    mov.u32 %r2, 1;
again:
    ld.volatile.global.u32 %r1, [%d0];
    setp.eq.u32 %q0, %r1, %r0;
    @%q0 bra done;
    mov.u64 %d5, %globaltimer;
    sub.u64 %d6, %d5, %d4;
    setp.lt.u64 %q1, %d6, %d3;
    @%q1 bra again;
    mov.u32 %r2, 2;
done:
    st.volatile.global.u32 [%d2], %r2;
    ret;
}

.visible .entry poll_through(.param .u64 place, .param .u64 value, .param .u64 out,
    .param .u64 limit)
{
    .reg .pred %q<2>;
    .reg .b32 %r<4>;
    .reg .b64 %d<8>;
    ld.param.u64 %d7, [place];
    ld.param.u64 %d1, [value];
    ld.param.u64 %d2, [out];
    ld.param.u64 %d3, [limit];
    cvta.to.global.u64 %d7, %d7;
    ld.global.u64 %d0, [%d7];
    cvta.to.global.u64 %d0, %d0;
    cvta.to.global.u64 %d2, %d2;
    cvt.u32.u64 %r0, %d1;
    mov.u64 %d4, %globaltimer;
    mov.u32 %r2, 1;
again:
    ld.volatile.global.u32 %r1, [%d0];
    setp.eq.u32 %q0, %r1, %r0;
    @%q0 bra done;
    mov.u64 %d5, %globaltimer;
    sub.u64 %d6, %d5, %d4;
    setp.lt.u64 %q1, %d6, %d3;
    @%q1 bra again;
    mov.u32 %r2, 2;
done:
    st.volatile.global.u32 [%d2], %r2;
    ret;
}

.visible .entry count(.param .u64 counter, .param .u64 stop, .param .u64 out, .param .u64 limit)
{
    .reg .pred %q<2>;
    .reg .b32 %r<4>;
    .reg .b64 %d<8>;
    ld.param.u64 %d0, [counter];
    ld.param.u64 %d1, [stop];
    ld.param.u64 %d2, [out];
    ld.param.u64 %d3, [limit];
    cvta.to.global.u64 %d0, %d0;
    cvta.to.global.u64 %d1, %d1;
    cvta.to.global.u64 %d2, %d2;
    mov.u64 %d4, %globaltimer;
    mov.u32 %r0, 0;
    mov.u32 %r2, 1;
again:
    add.u32 %r0, %r0, 1;
    st.volatile.global.u32 [%d0], %r0;
    ld.volatile.global.u32 %r1, [%d1];
    setp.ne.u32 %q0, %r1, 0;
    @%q0 bra done;
    mov.u64 %d5, %globaltimer;
    sub.u64 %d6, %d5, %d4;
    setp.lt.u64 %q1, %d6, %d3;
    @%q1 bra again;
    mov.u32 %r2, 2;
done:
    st.volatile.global.u32 [%d2], %r2;
    ret;
}

.visible .entry consume(.param .u64 ring, .param .u64 items, .param .u64 out, .param .u64 limit)
{
    .reg .pred %q<2>;
    .reg .b32 %r<12>;
    .reg .b64 %d<10>;
    ld.param.u64 %d0, [ring];
    ld.param.u64 %d1, [items];
    ld.param.u64 %d2, [out];
    ld.param.u64 %d3, [limit];
    cvta.to.global.u64 %d0, %d0;
    cvta.to.global.u64 %d2, %d2;
    cvt.u32.u64 %r0, %d1;
    mov.u64 %d4, %globaltimer;
    mov.u32 %r1, 0;
    mov.u32 %r2, 1;
    mov.u32 %r3, 0;
again:
    ld.volatile.global.u32 %r4, [%d0];
    setp.gt.u32 %q0, %r4, %r1;
    @%q0 bra take;
    mov.u64 %d5, %globaltimer;
    sub.u64 %d6, %d5, %d4;
    setp.lt.u64 %q1, %d6, %d3;
    @%q1 bra again;
    mov.u32 %r2, 2;
    bra done;
take:
    membar.sys;
    and.b32 %r5, %r1, 31;
    mul.wide.u32 %d7, %r5, 8;
    add.s64 %d8, %d0, %d7;
    ld.volatile.global.u32 %r6, [%d8+128];
    ld.volatile.global.u32 %r7, [%d8+132];
    add.u32 %r1, %r1, 1;
    not.b32 %r8, %r1;
    setp.ne.u32 %q0, %r6, %r1;
    setp.ne.or.u32 %q0, %r7, %r8, %q0;
    selp.u32 %r9, 1, 0, %q0;
    add.u32 %r3, %r3, %r9;
    membar.sys;
    st.volatile.global.u32 [%d0+64], %r1;
    setp.lt.u32 %q1, %r1, %r0;
    @%q1 bra again;
done:
    st.volatile.global.u32 [%d2], %r2;
    st.volatile.global.u32 [%d2+4], %r3;
    ret;
}

.visible .entry produce(.param .u64 ring, .param .u64 items, .param .u64 out, .param .u64 limit)
{
    .reg .pred %q<2>;
    .reg .b32 %r<12>;
    .reg .b64 %d<10>;
    ld.param.u64 %d0, [ring];
    ld.param.u64 %d1, [items];
    ld.param.u64 %d2, [out];
    ld.param.u64 %d3, [limit];
    cvta.to.global.u64 %d0, %d0;
    cvta.to.global.u64 %d2, %d2;
    cvt.u32.u64 %r0, %d1;
    mov.u64 %d4, %globaltimer;
    mov.u32 %r1, 0;
    mov.u32 %r2, 1;
again:
    ld.volatile.global.u32 %r4, [%d0+64];
    sub.u32 %r5, %r1, %r4;
    setp.lt.u32 %q0, %r5, 32;
    @%q0 bra put;
    mov.u64 %d5, %globaltimer;
    sub.u64 %d6, %d5, %d4;
    setp.lt.u64 %q1, %d6, %d3;
    @%q1 bra again;
    mov.u32 %r2, 2;
    bra done;
put:
    and.b32 %r5, %r1, 31;
    mul.wide.u32 %d7, %r5, 8;
    add.s64 %d8, %d0, %d7;
    add.u32 %r1, %r1, 1;
    not.b32 %r8, %r1;
    st.volatile.global.u32 [%d8+128], %r1;
    st.volatile.global.u32 [%d8+132], %r8;
    membar.sys;
    st.volatile.global.u32 [%d0], %r1;
    setp.lt.u32 %q1, %r1, %r0;
    @%q1 bra again;
done:
    st.volatile.global.u32 [%d2], %r2;
    ret;
}
"#;
