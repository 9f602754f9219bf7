//! Texture references: module variables that each launch binds with their current settings.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, same};
use outhaul_abi::types::*;
use std::ffi::{CString, c_void};

pub const TESTS: &[Test] = &[
    ("reference/linear_memory", linear),
    ("reference/an_array", array),
    ("reference/what_it_is_set_to", settings),
    ("reference/refused", refused),
];

/// A kernel in which each thread fetches one element through the reference.
const CODE: &str = r#"
.version 7.0
.target sm_50
.address_size 64
.visible .global .texref tex;
.visible .entry fetch(.param .u64 to)
{
    .reg .b32 %r<6>;
    .reg .b64 %d<3>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %d1, [to];
    cvta.to.global.u64 %d1, %d1;
    mad.wide.u32 %d1, %r1, 4, %d1;
    tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [tex, {%r1}];
    st.global.u32 [%d1], %r2;
    ret;
}
"#;

struct Fetch<'a> {
    gpu: &'a Gpu,
    module: CUmodule,
    reference: CUtexref,
    kernel: CUfunction,
    to: CUdeviceptr,
}

impl<'a> Fetch<'a> {
    fn new(gpu: &'a Gpu) -> Result<Fetch<'a>, Outcome> {
        let (text, mut module, mut reference) =
            (CString::new(CODE).expect("PTX holds no NUL"), CUmodule::NULL, CUtexref::NULL);
        let skipped = || Outcome::Skipped("there are no texture references".into());
        // The software GPU does not support such code.
        match cu!(gpu.cuModuleLoadData(&mut module, text.as_ptr().cast())) {
            CUresult::INVALID_PTX | CUresult::NOT_SUPPORTED => return Err(skipped()),
            result => result.ok()?,
        }
        match cu!(gpu.cuModuleGetTexRef(&mut reference, module, c"tex".as_ptr())) {
            CUresult::NOT_SUPPORTED => return Err(skipped()),
            result => result.ok()?,
        }
        let (kernel, to) = (gpu.function(module, "fetch")?, gpu.alloc(4096)?);
        cu!(gpu.cuTexRefSetFormat(reference, values::FORMAT_UNSIGNED_INT32, 1)).ok()?;
        cu!(gpu.cuTexRefSetFlags(reference, 1)).ok()?;
        Ok(Fetch { gpu, module, reference, kernel, to })
    }

    fn run(&self) -> Result<Vec<u32>, Outcome> {
        let (gpu, none) = (self.gpu, std::ptr::null_mut());
        let mut to = self.to;
        let mut params: [*mut c_void; 1] = [(&raw mut to).cast()];
        cu!(gpu.cuLaunchKernel(
            self.kernel,
            1,
            1,
            1,
            8,
            1,
            1,
            0,
            CUstream::NULL,
            params.as_mut_ptr(),
            none
        ))
        .ok()?;
        gpu.synchronize().ok()?;
        gpu.read(self.to, 8)
    }
}

fn linear(gpu: &Gpu) -> Done {
    let fetch = Fetch::new(gpu)?;
    let memory = gpu.alloc(4096)?;
    gpu.write(memory, &(40..56).collect::<Vec<u32>>())?;
    let mut offset = 77;
    cu!(gpu.cuTexRefSetAddress_v2(&mut offset, fetch.reference, memory, 64)).ok()?;
    same("no offset", offset, 0)?;
    let mut found = 0;
    cu!(gpu.cuTexRefGetAddress_v2(&mut found, fetch.reference)).ok()?;
    same("its address", found, memory)?;
    same("what is fetched", fetch.run()?, (40..48).collect())?;
    cu!(gpu.cuTexRefSetAddress_v2(&mut offset, fetch.reference, memory + 4, 32)).ok()?;
    same("an offset where the address is not aligned", offset, 4)
}

fn array(gpu: &Gpu) -> Done {
    let fetch = Fetch::new(gpu)?;
    let (mut array, mut found) = (CUarray::NULL, CUarray::NULL);
    let asked = CUDA_ARRAY_DESCRIPTOR {
        Width: 16,
        Height: 0,
        Format: values::FORMAT_UNSIGNED_INT32,
        NumChannels: 1,
    };
    cu!(gpu.cuArrayCreate_v2(&mut array, &asked)).ok()?;
    let data: Vec<u32> = (7..23).collect();
    cu!(gpu.cuMemcpyHtoA_v2(array, 0, data.as_ptr().cast(), 64)).ok()?;
    const OVERRIDE_FORMAT: u32 = 1;
    cu!(gpu.cuTexRefSetArray(fetch.reference, array, OVERRIDE_FORMAT)).ok()?;
    cu!(gpu.cuTexRefGetArray(&mut found, fetch.reference)).ok()?;
    same("its array", found, array)
}

fn settings(gpu: &Gpu) -> Done {
    let (fetch, mut again) = (Fetch::new(gpu)?, CUtexref::NULL);
    let reference = fetch.reference;
    cu!(gpu.cuModuleGetTexRef(&mut again, fetch.module, c"tex".as_ptr())).ok()?;
    same("the same reference", again, reference)?;
    cu!(gpu.cuTexRefSetAddressMode(reference, 0, 3)).ok()?;
    cu!(gpu.cuTexRefSetFilterMode(reference, 1)).ok()?;
    cu!(gpu.cuTexRefSetMipmapLevelClamp(reference, 1.0, 2.0)).ok()?;
    let border = CUborderColor { value: [1.0, 2.0, 3.0, 4.0] };
    cu!(gpu.cuTexRefSetBorderColor(reference, &border)).ok()?;
    let (mut mode, mut filter, mut flags, mut format, mut channels) = (9, 9, 9, 9, 9);
    cu!(gpu.cuTexRefGetAddressMode(&mut mode, reference, 0)).ok()?;
    cu!(gpu.cuTexRefGetFilterMode(&mut filter, reference)).ok()?;
    cu!(gpu.cuTexRefGetFlags(&mut flags, reference)).ok()?;
    cu!(gpu.cuTexRefGetFormat(&mut format, &mut channels, reference)).ok()?;
    same(
        "modes, flags and format",
        (mode, filter, flags, format, channels),
        (3, 1, 1, values::FORMAT_UNSIGNED_INT32, 1),
    )?;
    let (mut least, mut most, mut found) = (0.0, 0.0, CUborderColor { value: [0.0; 4] });
    cu!(gpu.cuTexRefGetMipmapLevelClamp(&mut least, &mut most, reference)).ok()?;
    cu!(gpu.cuTexRefGetBorderColor(&mut found, reference)).ok()?;
    same("the clamp and the border", (least, most, found.value), (1.0, 2.0, border.value))?;
    let mut own = CUtexref::NULL;
    cu!(gpu.cuTexRefCreate(&mut own)).ok()?;
    Ok(cu!(gpu.cuTexRefDestroy(own)).ok()?)
}

fn refused(gpu: &Gpu) -> Done {
    let fetch = Fetch::new(gpu)?;
    let (mut reference, mut surface, mut array) = (CUtexref::NULL, CUsurfref::NULL, CUarray::NULL);
    let found = cu!(gpu.cuModuleGetTexRef(&mut reference, fetch.module, c"none".as_ptr()));
    same("no such variable", found, CUresult::NOT_FOUND)?;
    let found = cu!(gpu.cuModuleGetSurfRef(&mut surface, fetch.module, c"tex".as_ptr()));
    same("no surface", found, CUresult::NOT_FOUND)?;
    same(
        "bound to no array",
        cu!(gpu.cuTexRefGetArray(&mut array, fetch.reference)),
        CUresult::INVALID_VALUE,
    )?;
    same(
        "a dimension beyond",
        cu!(gpu.cuTexRefSetAddressMode(fetch.reference, 3, 0)),
        CUresult::INVALID_VALUE,
    )?;
    same(
        "flags that do not exist",
        cu!(gpu.cuTexRefSetFlags(fetch.reference, 0x80)),
        CUresult::INVALID_VALUE,
    )
}
