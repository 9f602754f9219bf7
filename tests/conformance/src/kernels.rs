//! Kernels as PTX text, small enough to read.

/// `fill(p, n, value)`: p[i] = value + i.
/// `add(p, n, value)`: p[i] += value.
/// `spin(p, n)`: adds n times to p[0], one after the other.
/// `wild(p)`: writes to p, whatever it is.
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

/// `choose(condition, value)`: sets the condition.
/// `count(condition, p, limit)`: p[0] += 1, and the condition is whether it is still below the limit.
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
