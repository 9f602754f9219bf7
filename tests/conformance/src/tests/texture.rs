//! Texture and surface objects: the values that a kernel reads through them. The tests choose
//! coordinates and elements for which every result is exact.

use super::Test;
use super::array::{FLOAT, contents, create, fill, shape, zeroed};
use crate::gpu::{Done, Gpu, Outcome, same};
use outhaul_abi::types::*;
use std::ffi::{CString, c_void};

pub const TESTS: &[Test] = &[
    ("texture/descriptions", descriptions),
    ("texture/refused", refused),
    ("texture/many", many),
    ("texture/linear_memory", linear_memory),
    ("texture/points_of_a_line", line_points),
    ("texture/points_of_a_plane", plane_points),
    ("texture/addressing", addressing),
    ("texture/filtering", filtering),
    ("texture/pitched_memory", pitched),
    ("texture/fractions_of_the_range", fractions),
    ("texture/integers", integers),
    ("texture/halves", halves),
    ("texture/volume", volume),
    ("texture/layers", layers),
    ("texture/cube", cube),
    ("texture/cubes", cubes),
    ("texture/gather", gather),
    ("texture/levels", levels),
    ("texture/gradients", gradients),
    ("texture/view", view),
    ("surface/reads_and_writes", surface_access),
    ("surface/outside", surface_outside),
    ("surface/volume_and_layers", surface_volumes),
    ("surface/seen_by_a_texture", surface_then_texture),
];

const WRAP: CUaddress_mode = 0;
const CLAMP: CUaddress_mode = 1;
const MIRROR: CUaddress_mode = 2;
const BORDER: CUaddress_mode = 3;
const READ_AS_INTEGER: u32 = 1;
const NORMALIZED_COORDINATES: u32 = 2;
const SURFACE: u32 = values::ARRAY3D_SURFACE_LDST;

/// Returns a kernel with one thread per item. `%f0..3` hold the item's four input words as floats,
/// and `%r0..3` hold their bits. `%f4..7` receive the results.
fn kernel(instruction: &str) -> String {
    format!(
        "
.version 6.4
.target sm_75
.address_size 64
.visible .entry go(.param .u64 out, .param .u64 at, .param .u64 object)
{{
    .reg .b64 %d<8>;
    .reg .b32 %r<12>;
    .reg .b16 %h<4>;
    .reg .f32 %f<12>;
    ld.param.u64 %d0, [out];
    ld.param.u64 %d1, [at];
    ld.param.u64 %d7, [object];
    mov.u32 %r8, %tid.x;
    mul.wide.u32 %d3, %r8, 16;
    add.s64 %d4, %d0, %d3;
    add.s64 %d5, %d1, %d3;
    ld.global.v4.f32 {{%f0, %f1, %f2, %f3}}, [%d5];
    mov.b32 %r0, %f0;
    mov.b32 %r1, %f1;
    mov.b32 %r2, %f2;
    mov.b32 %r3, %f3;
    mov.f32 %f4, 0f00000000;
    mov.f32 %f5, 0f00000000;
    mov.f32 %f6, 0f00000000;
    mov.f32 %f7, 0f00000000;
    {instruction}
    st.global.v4.f32 [%d4], {{%f4, %f5, %f6, %f7}};
    ret;
}}
"
    )
}

/// Runs an instruction once per item and returns each item's four result words.
fn run(
    gpu: &Gpu,
    instruction: &str,
    object: u64,
    items: &[[u32; 4]],
) -> Result<Vec<[u32; 4]>, Outcome> {
    let text = CString::new(kernel(instruction)).expect("PTX holds no NUL");
    let (mut module, none) = (CUmodule::NULL, std::ptr::null_mut());
    // SAFETY: the text ends in NUL and the out-pointer refers to a local.
    unsafe { gpu.driver.cuModuleLoadData(&mut module, text.as_ptr().cast()) }.ok()?;
    let function = gpu.function(module, "go")?;
    let (out, at) = (gpu.alloc(16 * items.len())?, gpu.alloc(16 * items.len())?);
    gpu.write(at, items.as_flattened())?;
    let mut values = [out, at, object];
    let mut params: [*mut c_void; 3] = values.each_mut().map(|v| std::ptr::from_mut(v).cast());
    // SAFETY: the list has one pointer per parameter. The values have the parameters' sizes and
    // outlive the call.
    unsafe {
        gpu.driver.cuLaunchKernel(
            function,
            1,
            1,
            1,
            items.len() as u32,
            1,
            1,
            0,
            CUstream::NULL,
            params.as_mut_ptr(),
            none,
        )
    }
    .ok()?;
    Ok(gpu.read(out, items.len() * 4)?.as_chunks().0.to_vec())
}

/// Like `run`, for floats. Returns only the first result of each item.
fn sample(
    gpu: &Gpu,
    instruction: &str,
    object: u64,
    items: &[[f32; 4]],
) -> Result<Vec<f32>, Outcome> {
    let items: Vec<_> = items.iter().map(|item| item.map(f32::to_bits)).collect();
    Ok(run(gpu, instruction, object, &items)?
        .iter()
        .map(|found| f32::from_bits(found[0]))
        .collect())
}

fn at(x: f32, y: f32) -> [f32; 4] {
    [x, y, 0.0, 0.0]
}

const FROM_LINE: &str = "tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d7, {%f0}];";
const FROM_PLANE: &str = "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d7, {%f0, %f1}];";

fn described(mode: CUaddress_mode, linear: bool, flags: u32) -> CUDA_TEXTURE_DESC {
    let mut d: CUDA_TEXTURE_DESC = zeroed();
    (d.addressMode, d.filterMode, d.flags, d.maxAnisotropy) =
        ([mode; 3], i32::from(linear), flags, 1);
    d
}

fn resource(kind: CUresourcetype, words: &[u64]) -> CUDA_RESOURCE_DESC {
    let mut resource: CUDA_RESOURCE_DESC = zeroed();
    resource.resType = kind;
    resource.res[..words.len()].copy_from_slice(words);
    resource
}

fn in_array(array: CUarray) -> CUDA_RESOURCE_DESC {
    resource(values::RESOURCE_TYPE_ARRAY, &[array.0 as u64])
}

fn texture(
    gpu: &Gpu,
    resource: &CUDA_RESOURCE_DESC,
    description: &CUDA_TEXTURE_DESC,
) -> Result<CUtexObject, CUresult> {
    let mut object = 0;
    // SAFETY: the out-pointer refers to a local, and the driver reads the descriptions during the
    // call.
    unsafe { gpu.driver.cuTexObjectCreate(&mut object, resource, description, std::ptr::null()) }
        .ok()?;
    Ok(object)
}

fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u32> {
    values.into_iter().map(f32::to_bits).collect()
}

/// Returns an array that is filled with contiguous floats.
fn float_array(
    gpu: &Gpu,
    extents: [usize; 3],
    flags: u32,
    values: impl IntoIterator<Item = f32>,
) -> Result<CUarray, Outcome> {
    let array = create(gpu, &shape(extents, FLOAT, flags))?;
    fill(gpu, array, &floats(values), [extents[0] * 4, extents[1].max(1), extents[2].max(1)])?;
    Ok(array)
}

/// Returns an array of 4 by 3 elements, each with the value row * 10 + column.
fn plane(gpu: &Gpu) -> Result<CUarray, Outcome> {
    float_array(gpu, [4, 3, 0], 0, (0..12).map(|i| (i / 4 * 10 + i % 4) as f32))
}

fn descriptions(gpu: &Gpu) -> Done {
    let resource = in_array(plane(gpu)?);
    let object = texture(gpu, &resource, &described(CLAMP, true, NORMALIZED_COORDINATES))?;
    let (mut found, mut kept): (CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC) = (zeroed(), zeroed());
    // SAFETY: all out-pointers refer to locals, and the test no longer uses the object.
    unsafe {
        gpu.driver.cuTexObjectGetResourceDesc(&mut found, object).ok()?;
        gpu.driver.cuTexObjectGetTextureDesc(&mut kept, object).ok()?;
        gpu.driver.cuTexObjectDestroy(object).ok()?;
    }
    same("the array", (found.resType, found.res[0]), (resource.resType, resource.res[0]))?;
    same(
        "the sampling",
        (kept.addressMode, kept.filterMode, kept.flags),
        ([CLAMP; 3], 1, NORMALIZED_COORDINATES),
    )
}

fn refused(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(4096)?;
    let format = u64::from(values::FORMAT_FLOAT as u32) | 1 << 32;
    let plain = described(CLAMP, false, 0);
    let crooked =
        texture(gpu, &resource(values::RESOURCE_TYPE_LINEAR, &[memory + 4, format, 256]), &plain);
    same("memory that is not aligned is taken", crooked.is_ok(), false)?;
    same(
        "no kind of resource is taken",
        texture(gpu, &resource(77, &[memory]), &plain).is_ok(),
        false,
    )
}

/// Creates and destroys many objects.
fn many(gpu: &Gpu) -> Done {
    let array = in_array(plane(gpu)?);
    for round in 0..40 {
        for _ in 0..30 {
            let object = texture(gpu, &array, &described(CLAMP, false, 0))?;
            // SAFETY: the test no longer uses the object.
            unsafe { gpu.driver.cuTexObjectDestroy(object) }.ok()?;
        }
        let object = texture(gpu, &array, &described(CLAMP, false, 0))?;
        let (x, y) = (round % 4, round % 3);
        let found = sample(gpu, FROM_PLANE, object, &[at(x as f32 + 0.5, y as f32 + 0.5)])?;
        same("an element", found, vec![(y * 10 + x) as f32])?;
        // SAFETY: as above.
        unsafe { gpu.driver.cuTexObjectDestroy(object) }.ok()?;
    }
    Ok(())
}

fn linear_memory(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(4096)?;
    gpu.write(memory, &floats((0..256).map(|i| i as f32)))?;
    let format = u64::from(values::FORMAT_FLOAT as u32) | 1 << 32;
    let object = texture(
        gpu,
        &resource(values::RESOURCE_TYPE_LINEAR, &[memory, format, 1024]),
        &described(CLAMP, false, 0),
    )?;
    let fetch = "tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%d7, {%r0}];";
    let found = run(gpu, fetch, object, &[0, 1, 100, 255].map(|i| [i, 0, 0, 0]))?;
    same(
        "elements by index",
        found.iter().map(|f| f32::from_bits(f[0])).collect(),
        vec![0.0, 1.0, 100.0, 255.0],
    )?;
    // The kernel reads the memory's contents at the time of the launch.
    gpu.write(memory, &floats([7.0]))?;
    let found = run(gpu, fetch, object, &[[0; 4]])?;
    same("an element that was written since", f32::from_bits(found[0][0]), 7.0)
}

fn line_points(gpu: &Gpu) -> Done {
    let array = float_array(gpu, [8, 0, 0], 0, (0..8).map(|i| i as f32))?;
    let object = texture(gpu, &in_array(array), &described(CLAMP, false, 0))?;
    let found = sample(gpu, FROM_LINE, object, &[-3.0, 0.25, 3.5, 7.75, 9.5].map(|x| at(x, 0.0)))?;
    same("elements of a line", found, vec![0.0, 0.0, 3.0, 7.0, 7.0])
}

fn plane_points(gpu: &Gpu) -> Done {
    let object = texture(gpu, &in_array(plane(gpu)?), &described(CLAMP, false, 0))?;
    let found = sample(
        gpu,
        FROM_PLANE,
        object,
        &[at(0.5, 0.5), at(3.25, 2.75), at(1.5, 1.5), at(-5.0, 9.0)],
    )?;
    same("elements of a plane", found, vec![0.0, 23.0, 11.0, 20.0])
}

/// Uses eight elements, so that coordinates are exact fractions.
fn addressing(gpu: &Gpu) -> Done {
    let array = float_array(gpu, [8, 0, 0], 0, (0..8).map(|i| i as f32))?;
    let xs = [-9.5f32, -1.5, -0.5, 0.5, 7.5, 8.5, 10.5, 17.5].map(|x| at(x / 8.0, 0.0));
    for (mode, expected) in [
        (WRAP, [6.0, 6.0, 7.0, 0.0, 7.0, 0.0, 2.0, 1.0]),
        (CLAMP, [0.0, 0.0, 0.0, 0.0, 7.0, 7.0, 7.0, 7.0]),
        (MIRROR, [6.0, 1.0, 0.0, 0.0, 7.0, 7.0, 5.0, 1.0]),
        (BORDER, [9.0, 9.0, 9.0, 0.0, 7.0, 9.0, 9.0, 9.0]),
    ] {
        let mut description = described(mode, false, NORMALIZED_COORDINATES);
        description.borderColor = [9.0; 4];
        let object = texture(gpu, &in_array(array), &description)?;
        same(
            &format!("address mode {mode}"),
            sample(gpu, FROM_LINE, object, &xs)?,
            expected.to_vec(),
        )?;
    }
    Ok(())
}

fn filtering(gpu: &Gpu) -> Done {
    let line = float_array(gpu, [8, 0, 0], 0, (0..8).map(|i| (i * 256) as f32))?;
    let object = texture(gpu, &in_array(line), &described(CLAMP, true, 0))?;
    let xs = [0.0, 0.5, 1.0, 2.75, 3.5 + 1.0 / 256.0, 7.5, 8.0];
    let found = sample(gpu, FROM_LINE, object, &xs.map(|x| at(x, 0.0)))?;
    same("between elements of a line", found, vec![0.0, 0.0, 128.0, 576.0, 769.0, 1792.0, 1792.0])?;
    let object = texture(gpu, &in_array(plane(gpu)?), &described(CLAMP, true, 0))?;
    let found = sample(
        gpu,
        FROM_PLANE,
        object,
        &[at(1.5, 1.5), at(2.0, 1.0), at(1.25, 2.25), at(4.0, 3.0)],
    )?;
    same("between elements of a plane", found, vec![11.0, 6.5, 18.25, 23.0])?;
    let object = texture(gpu, &in_array(line), &described(WRAP, true, NORMALIZED_COORDINATES))?;
    let found = sample(gpu, FROM_LINE, object, &[at(0.0, 0.0), at(1.0, 0.0), at(0.25, 0.0)])?;
    same("across the seam", found, vec![896.0, 896.0, 384.0])
}

fn pitched(gpu: &Gpu) -> Done {
    let (mut memory, mut pitch) = (0, 0);
    // SAFETY: all out-pointers refer to locals.
    unsafe { gpu.driver.cuMemAllocPitch_v2(&mut memory, &mut pitch, 16, 3, 4) }.ok()?;
    for row in 0..3u32 {
        gpu.write(
            memory + u64::from(row) * pitch as u64,
            &floats((0..4).map(|i| (row * 10 + i) as f32)),
        )?;
    }
    let format = u64::from(values::FORMAT_FLOAT as u32) | 1 << 32;
    let words = [memory, format, 4, 3, pitch as u64];
    let object =
        texture(gpu, &resource(values::RESOURCE_TYPE_PITCH2D, &words), &described(CLAMP, true, 0))?;
    let found =
        sample(gpu, FROM_PLANE, object, &[at(1.5, 1.5), at(2.0, 1.0), at(0.5, 2.5), at(9.0, 9.0)])?;
    same("between elements of pitched rows", found, vec![11.0, 6.5, 20.0, 23.0])
}

fn fractions(gpu: &Gpu) -> Done {
    let array = create(gpu, &shape([4, 0, 0], (values::FORMAT_UNSIGNED_INT8, 4), 0))?;
    fill(gpu, array, &[0xFF00_FF00, 0x0000_00FF, 0, 0], [16, 1, 1])?;
    let object = texture(gpu, &in_array(array), &described(CLAMP, false, 0))?;
    let found =
        run(gpu, FROM_LINE, object, &[[0.5f32.to_bits(), 0, 0, 0], [1.5f32.to_bits(), 0, 0, 0]])?;
    same("four channels of 8 bits", found[0].map(f32::from_bits), [0.0, 1.0, 0.0, 1.0])?;
    same("the first channel alone", found[1].map(f32::from_bits), [1.0, 0.0, 0.0, 0.0])?;
    let signed = create(gpu, &shape([4, 0, 0], (values::FORMAT_SIGNED_INT16, 2), 0))?;
    fill(gpu, signed, &[0x8001_7FFF, 0x8000_0000, 0, 0], [16, 1, 1])?;
    let object = texture(gpu, &in_array(signed), &described(CLAMP, false, 0))?;
    let found =
        run(gpu, FROM_LINE, object, &[[0.5f32.to_bits(), 0, 0, 0], [1.5f32.to_bits(), 0, 0, 0]])?;
    same(
        "two channels of 16 bits",
        [found[0][0], found[0][1], found[1][1]].map(f32::from_bits),
        [1.0, -1.0, -1.0],
    )
}

fn integers(gpu: &Gpu) -> Done {
    let array = create(gpu, &shape([4, 0, 0], (values::FORMAT_SIGNED_INT8, 4), 0))?;
    fill(gpu, array, &[0x8001_7F00, 0, 0, 0], [16, 1, 1])?;
    let object = texture(gpu, &in_array(array), &described(CLAMP, false, READ_AS_INTEGER))?;
    let instruction = "tex.1d.v4.s32.f32 {%r4, %r5, %r6, %r7}, [%d7, {%f0}];
    mov.b32 %f4, %r4; mov.b32 %f5, %r5; mov.b32 %f6, %r6; mov.b32 %f7, %r7;";
    let found = run(gpu, instruction, object, &[[0.5f32.to_bits(), 0, 0, 0]])?;
    same("integers as they are", found[0].map(|bits| bits as i32), [0, 127, 1, -128])
}

fn halves(gpu: &Gpu) -> Done {
    let array = create(gpu, &shape([4, 0, 0], (values::FORMAT_HALF, 2), 0))?;
    // The elements are (1, -2) and (5, 0.5).
    fill(gpu, array, &[0xC000_3C00, 0x3800_4500, 0, 0], [16, 1, 1])?;
    let object = texture(gpu, &in_array(array), &described(CLAMP, true, 0))?;
    let found =
        run(gpu, FROM_LINE, object, &[[0.5f32.to_bits(), 0, 0, 0], [1.0f32.to_bits(), 0, 0, 0]])?;
    same("two channels", [found[0][0], found[0][1]].map(f32::from_bits), [1.0, -2.0])?;
    same("between two elements", [found[1][0], found[1][1]].map(f32::from_bits), [3.0, -0.75])
}

fn volume(gpu: &Gpu) -> Done {
    let array = float_array(gpu, [4, 4, 4], 0, (0..64).map(|i| i as f32))?;
    let instruction = "tex.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d7, {%f0, %f1, %f2, %f2}];";
    let object = texture(gpu, &in_array(array), &described(CLAMP, false, 0))?;
    let found = sample(gpu, instruction, object, &[[1.5, 2.5, 3.5, 0.0], [9.0, 0.5, 0.5, 0.0]])?;
    same("elements of a volume", found, vec![57.0, 3.0])?;
    let object = texture(gpu, &in_array(array), &described(CLAMP, true, 0))?;
    let found = sample(gpu, instruction, object, &[[2.0, 2.0, 2.0, 0.0], [1.5, 1.5, 1.75, 0.0]])?;
    same("between elements of a volume", found, vec![31.5, 25.0])
}

fn layers(gpu: &Gpu) -> Done {
    let planes = float_array(gpu, [4, 2, 3], values::ARRAY3D_LAYERED, (0..24).map(|i| i as f32))?;
    let object = texture(gpu, &in_array(planes), &described(CLAMP, true, 0))?;
    let instruction = "tex.a2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d7, {%r0, %f1, %f2, %f2}];";
    let items = [(0, 0.5, 0.5), (1, 1.5, 1.5), (2, 2.0, 1.0)]
        .map(|(n, x, y): (u32, f32, f32)| [n, x.to_bits(), y.to_bits(), 0]);
    let found = run(gpu, instruction, object, &items)?;
    same(
        "layers of planes",
        found.iter().map(|f| f32::from_bits(f[0])).collect(),
        vec![0.0, 13.0, 19.5],
    )?;
    let lines = float_array(gpu, [4, 0, 2], values::ARRAY3D_LAYERED, (0..8).map(|i| i as f32))?;
    let object = texture(gpu, &in_array(lines), &described(CLAMP, false, 0))?;
    let instruction = "tex.a1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d7, {%r0, %f1}];";
    let found = run(gpu, instruction, object, &[[1, 2.5f32.to_bits(), 0, 0]])?;
    same("layers of lines", f32::from_bits(found[0][0]), 6.0)
}

/// Each face has a single value, so only the choice of the face matters.
fn cube(gpu: &Gpu) -> Done {
    let array =
        float_array(gpu, [2, 2, 6], values::ARRAY3D_CUBEMAP, (0..24).map(|i| (i / 4) as f32))?;
    let object = texture(gpu, &in_array(array), &described(CLAMP, false, NORMALIZED_COORDINATES))?;
    let instruction = "tex.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d7, {%f0, %f1, %f2, %f2}];";
    let directions = [
        [2.0, 0.5, 0.5],
        [-2.0, 0.5, 0.5],
        [0.5, 2.0, 0.5],
        [0.5, -2.0, 0.5],
        [0.5, 0.5, 2.0],
        [0.5, 0.5, -2.0],
    ];
    let items: Vec<[f32; 4]> = directions.iter().map(|d| [d[0], d[1], d[2], 0.0]).collect();
    same(
        "the face of each direction",
        sample(gpu, instruction, object, &items)?,
        vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
    )
}

fn cubes(gpu: &Gpu) -> Done {
    let flags = values::ARRAY3D_CUBEMAP | values::ARRAY3D_LAYERED;
    let array = float_array(gpu, [2, 2, 12], flags, (0..48).map(|i| (i / 4) as f32))?;
    let object = texture(gpu, &in_array(array), &described(CLAMP, false, NORMALIZED_COORDINATES))?;
    let instruction = "tex.acube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d7, {%r0, %f1, %f2, %f3}];";
    let items = [(0, [0.5, 0.5, -2.0]), (1, [0.5, 2.0, 0.5]), (1, [-2.0, 0.5, 0.5])];
    let items =
        items.map(|(n, [x, y, z]): (u32, [f32; 3])| [n, x.to_bits(), y.to_bits(), z.to_bits()]);
    let found = run(gpu, instruction, object, &items)?;
    same(
        "a face of each cube",
        found.iter().map(|f| f32::from_bits(f[0])).collect(),
        vec![5.0, 8.0, 7.0],
    )
}

fn gather(gpu: &Gpu) -> Done {
    let flags = values::ARRAY3D_TEXTURE_GATHER;
    let array = float_array(gpu, [4, 3, 0], flags, (0..12).map(|i| (i / 4 * 10 + i % 4) as f32))?;
    let object = texture(gpu, &in_array(array), &described(CLAMP, false, 0))?;
    let instruction = "tld4.r.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d7, {%f0, %f1}];";
    let found = run(gpu, instruction, object, &[at(2.0, 1.0).map(f32::to_bits)])?;
    same("four neighbours", found[0].map(f32::from_bits), [11.0, 12.0, 2.0, 1.0])
}

/// Returns a mipmapped array of 4 by 4 with three levels. Each level has a single value: 0, 64,
/// 128.
fn pyramid(gpu: &Gpu) -> Result<CUDA_RESOURCE_DESC, Outcome> {
    let mut mipmapped = CUmipmappedArray::NULL;
    // SAFETY: the out-pointer refers to a local, and the driver reads the descriptor during the
    // call.
    unsafe { gpu.driver.cuMipmappedArrayCreate(&mut mipmapped, &shape([4, 4, 0], FLOAT, 0), 3) }
        .ok()?;
    for (level, size) in [(0, 4), (1, 2), (2, 1)] {
        let mut array = CUarray::NULL;
        // SAFETY: the out-pointer refers to a local.
        unsafe { gpu.driver.cuMipmappedArrayGetLevel(&mut array, mipmapped, level) }.ok()?;
        fill(
            gpu,
            array,
            &floats((0..size * size).map(|_| level as f32 * 64.0)),
            [size * 4, size, 1],
        )?;
    }
    Ok(resource(values::RESOURCE_TYPE_MIPMAPPED_ARRAY, &[mipmapped.0 as u64]))
}

fn levels(gpu: &Gpu) -> Done {
    let pyramid = pyramid(gpu)?;
    let instruction = "tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d7, {%f0, %f1}], %f2;";
    let items = [0.0f32, 1.0, 1.25, 2.0, 9.0].map(|level| [0.5, 0.5, level, 0.0]);
    for (between, expected) in
        [(0, [0.0, 64.0, 64.0, 128.0, 128.0]), (1, [0.0, 64.0, 80.0, 128.0, 128.0])]
    {
        let mut description = described(CLAMP, false, NORMALIZED_COORDINATES);
        (description.mipmapFilterMode, description.maxMipmapLevelClamp) = (between, 10.0);
        let object = texture(gpu, &pyramid, &description)?;
        same("levels", sample(gpu, instruction, object, &items)?, expected.to_vec())?;
    }
    Ok(())
}

/// Steps of one, two and four elements select the levels. The kernel reads the nearest level.
fn gradients(gpu: &Gpu) -> Done {
    let mut description = described(CLAMP, false, NORMALIZED_COORDINATES);
    description.maxMipmapLevelClamp = 10.0;
    let object = texture(gpu, &pyramid(gpu)?, &description)?;
    let instruction =
        "tex.grad.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d7, {%f0, %f1}], {%f2, %f8}, {%f8, %f2};";
    let instruction = format!("mov.f32 %f8, 0f00000000;\n    {instruction}");
    let items = [0.25f32, 0.5, 1.0].map(|step| [0.5, 0.5, step, 0.0]);
    same("levels", sample(gpu, &instruction, object, &items)?, vec![0.0, 64.0, 128.0])
}

/// Reads four bytes as one 32-bit integer.
fn view(gpu: &Gpu) -> Done {
    const ONE_UNSIGNED_OF_32_BITS: CUresourceViewFormat = 0x0d;
    let array = create(gpu, &shape([4, 4, 0], (values::FORMAT_UNSIGNED_INT8, 4), 0))?;
    fill(gpu, array, &(0..16).map(|i| 0x0403_0201 + i).collect::<Vec<_>>(), [16, 4, 1])?;
    let mut view: CUDA_RESOURCE_VIEW_DESC = zeroed();
    (view.format, view.width, view.height) = (ONE_UNSIGNED_OF_32_BITS, 4, 4);
    let mut object = 0;
    let mut found: CUDA_RESOURCE_VIEW_DESC = zeroed();
    // SAFETY: all out-pointers refer to locals, and the driver reads the descriptions during the
    // call.
    unsafe {
        gpu.driver
            .cuTexObjectCreate(
                &mut object,
                &in_array(array),
                &described(CLAMP, false, READ_AS_INTEGER),
                &view,
            )
            .ok()?;
        gpu.driver.cuTexObjectGetResourceViewDesc(&mut found, object).ok()?;
    }
    same("the view", (found.format, found.width, found.height), (ONE_UNSIGNED_OF_32_BITS, 4, 4))?;
    let instruction = "tex.2d.v4.u32.f32 {%r4, %r5, %r6, %r7}, [%d7, {%f0, %f1}];
    mov.b32 %f4, %r4;";
    let found = run(gpu, instruction, object, &[at(1.5, 2.5).map(f32::to_bits)])?;
    same("a wider element", found[0][0], 0x0403_0201 + 9)
}

fn surface(gpu: &Gpu, array: CUarray) -> Result<CUsurfObject, CUresult> {
    let mut object = 0;
    // SAFETY: the out-pointer refers to a local, and the driver reads the description during the
    // call.
    unsafe { gpu.driver.cuSurfObjectCreate(&mut object, &in_array(array)) }.ok()?;
    Ok(object)
}

/// Writes `%r2` at the position given by `%r0` (in bytes) and `%r1`, and reads the value back.
fn surface_access(gpu: &Gpu) -> Done {
    let array = create(gpu, &shape([8, 4, 0], (values::FORMAT_UNSIGNED_INT32, 1), SURFACE))?;
    fill(gpu, array, &(0..32).collect::<Vec<_>>(), [32, 4, 1])?;
    let object = surface(gpu, array)?;
    let instruction = "suld.b.2d.b32.trap {%r4}, [%d7, {%r0, %r1}];
    sust.b.2d.b32.trap [%d7, {%r0, %r1}], {%r2};
    mov.b32 %f4, %r4;";
    let found = run(gpu, instruction, object, &[[0, 0, 100, 0], [28, 3, 101, 0], [12, 2, 102, 0]])?;
    same("what was there", found.iter().map(|f| f[0]).collect::<Vec<_>>(), vec![0, 31, 19])?;
    let now = contents(gpu, array, [32, 4, 1])?;
    same("what is there", [now[0], now[31], now[19], now[1]], [100, 101, 102, 1])?;
    let narrow = create(gpu, &shape([8, 0, 0], (values::FORMAT_UNSIGNED_INT8, 2), SURFACE))?;
    fill(gpu, narrow, &[0x0403_0201, 0x0807_0605, 0, 0], [16, 1, 1])?;
    let instruction = "suld.b.1d.v2.b8.trap {%h0, %h1}, [%d7, {%r0}];
    sust.b.1d.v2.b8.trap [%d7, {%r1}], {%h1, %h0};";
    run(gpu, instruction, surface(gpu, narrow)?, &[[2, 8, 0, 0]])?;
    same("two bytes, exchanged", contents(gpu, narrow, [16, 1, 1])?[2], 0x0304)?;
    // SAFETY: the test no longer uses the object.
    Ok(unsafe { gpu.driver.cuSurfObjectDestroy(object) }.ok()?)
}

fn surface_outside(gpu: &Gpu) -> Done {
    let array = create(gpu, &shape([4, 4, 0], (values::FORMAT_UNSIGNED_INT32, 1), SURFACE))?;
    fill(gpu, array, &(0..16).map(|i| 50 + i).collect::<Vec<_>>(), [16, 4, 1])?;
    let object = surface(gpu, array)?;
    let outside = [[16, 0, 7, 0], [0, 4, 7, 0], [-4i32 as u32, 1, 7, 0]];
    let zero = "suld.b.2d.b32.zero {%r4}, [%d7, {%r0, %r1}];
    sust.b.2d.b32.zero [%d7, {%r0, %r1}], {%r2};
    mov.b32 %f4, %r4;";
    let found = run(gpu, zero, object, &outside)?;
    same("zeros outside", found.iter().map(|f| f[0]).collect::<Vec<_>>(), vec![0; 3])?;
    same("nothing written", contents(gpu, array, [16, 4, 1])?, (0..16).map(|i| 50 + i).collect())?;
    let clamp = "suld.b.2d.b32.clamp {%r4}, [%d7, {%r0, %r1}];
    mov.b32 %f4, %r4;";
    let found = run(gpu, clamp, object, &outside)?;
    same("the nearest inside", found.iter().map(|f| f[0]).collect::<Vec<_>>(), vec![53, 62, 54])
}

fn surface_volumes(gpu: &Gpu) -> Done {
    let words: Vec<u32> = (0..4 * 3 * 2).collect();
    for (flags, instruction) in [
        (
            0,
            "suld.b.3d.b32.trap {%r4}, [%d7, {%r0, %r1, %r2, %r2}];\n    sust.b.3d.b32.trap [%d7, \
            {%r0, %r1, %r2, %r2}], {%r3};",
        ),
        (
            values::ARRAY3D_LAYERED,
            "suld.b.a2d.b32.trap {%r4}, [%d7, {%r2, %r0, %r1, %r1}];\n    sust.b.a2d.b32.trap \
            [%d7, {%r2, %r0, %r1, %r1}], {%r3};",
        ),
    ] {
        let array =
            create(gpu, &shape([4, 3, 2], (values::FORMAT_UNSIGNED_INT32, 1), SURFACE | flags))?;
        fill(gpu, array, &words, [16, 3, 2])?;
        let instruction = format!("{instruction}\n    mov.b32 %f4, %r4;");
        let found = run(gpu, &instruction, surface(gpu, array)?, &[[4, 2, 1, 77]])?;
        same("an element of a slice", found[0][0], (3 + 2) * 4 + 1)?;
        same("the same element afterwards", contents(gpu, array, [16, 3, 2])?[21], 77)?;
    }
    Ok(())
}

/// One kernel writes through a surface, and the next reads through a texture.
fn surface_then_texture(gpu: &Gpu) -> Done {
    let array = create(gpu, &shape([4, 4, 0], FLOAT, SURFACE))?;
    let (surface, texture) =
        (surface(gpu, array)?, texture(gpu, &in_array(array), &described(CLAMP, false, 0))?);
    let write = "mul.lo.u32 %r9, %r0, 4;
    sust.b.2d.b32.trap [%d7, {%r9, %r1}], {%r2};";
    let items: Vec<[u32; 4]> = (0..16).map(|i| [i % 4, i / 4, (i as f32).to_bits(), 0]).collect();
    run(gpu, write, surface, &items)?;
    let points: Vec<[f32; 4]> =
        (0..16).map(|i| at((i % 4) as f32 + 0.5, (i / 4) as f32 + 0.5)).collect();
    same(
        "the elements that were written",
        sample(gpu, FROM_PLANE, texture, &points)?,
        (0..16).map(|i| i as f32).collect(),
    )
}
