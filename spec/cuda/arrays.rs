//! Arrays, textures and surfaces.

// ---- Arrays, textures, surfaces ----

#[since(2000)] #[form_of(cuArray3DCreate_v2, narrow)] #[soft]
fn cuArray3DCreate(pHandle: *mut CUarray, pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR_v1);
#[since(3020)] #[unsafe_in_capture] #[soft]
#[is(memory::array::create_3d(pAllocateArray) -> pHandle)]
fn cuArray3DCreate_v2(pHandle: Out<CUarray>, pAllocateArray: In<CUDA_ARRAY3D_DESCRIPTOR>);
#[since(2000)] #[form_of(cuArray3DGetDescriptor_v2, narrow)] #[soft]
fn cuArray3DGetDescriptor(pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR_v1, hArray: CUarray);
#[since(3020)] #[local] #[soft]
fn cuArray3DGetDescriptor_v2(pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR, hArray: CUarray);
#[since(2000)] #[form_of(cuArrayCreate_v2, narrow)] #[soft]
fn cuArrayCreate(pHandle: *mut CUarray, pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR_v1);
#[since(3020)] #[unsafe_in_capture] #[soft] #[is(memory::array::create(pAllocateArray) -> pHandle)]
fn cuArrayCreate_v2(pHandle: Out<CUarray>, pAllocateArray: In<CUDA_ARRAY_DESCRIPTOR>);
#[since(2000)] #[unsafe_in_capture] #[soft] #[is(memory::array::destroy(handles::array(hArray)))]
fn cuArrayDestroy(hArray: CUarray);
#[since(2000)] #[form_of(cuArrayGetDescriptor_v2, narrow)] #[soft]
fn cuArrayGetDescriptor(pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR_v1, hArray: CUarray);
#[since(3020)] #[local] #[soft]
fn cuArrayGetDescriptor_v2(pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR, hArray: CUarray);
#[since(11060)] #[call(op = 213)] #[does(nothing)] #[soft]
fn cuArrayGetMemoryRequirements(
    memoryRequirements: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>, array: CUarray, device: CUdevice,
);
#[since(11020)] #[unsupported(planes)]
fn cuArrayGetPlane(pPlaneArray: *mut CUarray, hArray: CUarray, planeIdx: u32);
#[since(11010)] #[unsupported(sparse)] #[untyped] fn cuArrayGetSparseProperties();
#[since(5000)] #[soft]
#[is(memory::array::create_mipmapped(pMipmappedArrayDesc, numMipmapLevels) -> pHandle)]
fn cuMipmappedArrayCreate(
    pHandle: Out<CUmipmappedArray>, pMipmappedArrayDesc: In<CUDA_ARRAY3D_DESCRIPTOR>,
    numMipmapLevels: u32,
);
#[since(5000)] #[soft] #[is(memory::array::destroy_mipmapped(hMipmappedArray))]
fn cuMipmappedArrayDestroy(hMipmappedArray: CUmipmappedArray);
#[since(5000)] #[soft] #[custom("checks its place after the array")]
fn cuMipmappedArrayGetLevel(
    pLevelArray: *mut CUarray, hMipmappedArray: CUmipmappedArray, level: u32,
);
#[since(11060)] #[call(op = 214)] #[does(nothing)] #[soft]
fn cuMipmappedArrayGetMemoryRequirements(
    memoryRequirements: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>, mipmap: CUmipmappedArray,
    device: CUdevice,
);
#[since(11010)] #[unsupported(sparse)] #[untyped] fn cuMipmappedArrayGetSparseProperties();
#[since(5000)] #[soft] #[custom("checks its place after the context")]
fn cuSurfObjectCreate(pSurfObject: *mut CUsurfObject, pResDesc: *const CUDA_RESOURCE_DESC);
#[since(5000)] #[soft] #[is(code::texture::destroy_surface(surfObject))]
fn cuSurfObjectDestroy(surfObject: CUsurfObject);
#[since(5000)] #[local] #[soft]
fn cuSurfObjectGetResourceDesc(pResDesc: *mut CUDA_RESOURCE_DESC, surfObject: CUsurfObject);
#[since(3000)] #[is(code::references::surface_array(marshal::surfref(hSurfRef)) -> phArray)]
fn cuSurfRefGetArray(phArray: *mut CUarray, hSurfRef: CUsurfref);
#[since(3000)] #[call(op = 433)] #[does(nothing)]
fn cuSurfRefSetArray(hSurfRef: CUsurfref, hArray: CUarray, Flags: u32);
#[since(12000)] #[call(op = 201, memo)] #[does(nothing)]
fn cuTensorMapEncodeIm2col(
    tensorMap: Out<CUtensorMap>, tensorDataType: CUtensorMapDataType, tensorRank: u32,
    globalAddress: CUdeviceptr, globalDim: In<[u64; tensorRank], 5>,
    globalStrides: In<[u64; tensorRank.saturating_sub(1)], 5>,
    pixelBoxLowerCorner: In<[i32; tensorRank.saturating_sub(2)], 5>,
    pixelBoxUpperCorner: In<[i32; tensorRank.saturating_sub(2)], 5>, channelsPerPixel: u32,
    pixelsPerColumn: u32, elementStrides: In<[u32; tensorRank], 5>,
    interleave: CUtensorMapInterleave, swizzle: CUtensorMapSwizzle,
    l2Promotion: CUtensorMapL2promotion, oobFill: CUtensorMapFloatOOBfill,
);
#[since(12080)] #[call(op = 202, memo)] #[does(nothing)]
fn cuTensorMapEncodeIm2colWide(
    tensorMap: Out<CUtensorMap>, tensorDataType: CUtensorMapDataType, tensorRank: u32,
    globalAddress: CUdeviceptr, globalDim: In<[u64; tensorRank], 5>,
    globalStrides: In<[u64; tensorRank.saturating_sub(1)], 5>, pixelBoxLowerCornerWidth: i32,
    pixelBoxUpperCornerWidth: i32, channelsPerPixel: u32, pixelsPerColumn: u32,
    elementStrides: In<[u32; tensorRank], 5>, interleave: CUtensorMapInterleave,
    mode: CUtensorMapIm2ColWideMode, swizzle: CUtensorMapSwizzle,
    l2Promotion: CUtensorMapL2promotion, oobFill: CUtensorMapFloatOOBfill,
);
#[since(12000)] #[call(op = 200, memo)] #[does(nothing)]
fn cuTensorMapEncodeTiled(
    tensorMap: Out<CUtensorMap>, tensorDataType: CUtensorMapDataType, tensorRank: u32,
    globalAddress: CUdeviceptr, globalDim: In<[u64; tensorRank], 5>,
    globalStrides: In<[u64; tensorRank.saturating_sub(1)], 5>, boxDim: In<[u32; tensorRank], 5>,
    elementStrides: In<[u32; tensorRank], 5>, interleave: CUtensorMapInterleave,
    swizzle: CUtensorMapSwizzle, l2Promotion: CUtensorMapL2promotion,
    oobFill: CUtensorMapFloatOOBfill,
);
#[since(12000)] #[custom("changes the map in place, at any alignment")]
fn cuTensorMapReplaceAddress(tensorMap: *mut CUtensorMap, globalAddress: CUdeviceptr);
#[since(5000)] #[soft] #[is(code::texture::create(pResDesc, pTexDesc, pResViewDesc) -> pTexObject)]
fn cuTexObjectCreate(
    pTexObject: Out<CUtexObject>, pResDesc: *const CUDA_RESOURCE_DESC,
    pTexDesc: *const CUDA_TEXTURE_DESC, pResViewDesc: *const CUDA_RESOURCE_VIEW_DESC,
);
#[since(5000)] #[soft] #[is(code::texture::destroy(texObject))]
fn cuTexObjectDestroy(texObject: CUtexObject);
#[since(5000)] #[local] #[soft]
fn cuTexObjectGetResourceDesc(pResDesc: *mut CUDA_RESOURCE_DESC, texObject: CUtexObject);
#[since(5000)] #[local] #[soft]
fn cuTexObjectGetResourceViewDesc(
    pResViewDesc: *mut CUDA_RESOURCE_VIEW_DESC, texObject: CUtexObject,
);
#[since(5000)] #[local] #[soft]
fn cuTexObjectGetTextureDesc(pTexDesc: *mut CUDA_TEXTURE_DESC, texObject: CUtexObject);
#[since(2000)] #[is(code::references::create() -> pTexRef)]
fn cuTexRefCreate(pTexRef: Out<CUtexref>);
#[since(2000)] #[is(code::references::destroy(marshal::texref(hTexRef)))]
fn cuTexRefDestroy(hTexRef: CUtexref);
#[since(2000)] #[form_of(cuTexRefGetAddress_v2, narrow)]
fn cuTexRefGetAddress(pdptr: *mut CUdeviceptr_v1, hTexRef: CUtexref);
#[since(3020)] #[call(op = 423)] #[does(nothing)]
fn cuTexRefGetAddress_v2(pdptr: Out<CUdeviceptr>, hTexRef: CUtexref);
#[since(2000)] #[call(op = 424)] #[does(nothing)]
fn cuTexRefGetAddressMode(pam: Out<i32>, hTexRef: CUtexref, dim: i32);
#[since(2000)] #[is(code::references::texture_array(marshal::texref(hTexRef)) -> phArray)]
fn cuTexRefGetArray(phArray: *mut CUarray, hTexRef: CUtexref);
#[since(8000)] #[call(op = 432)] #[does(nothing)]
fn cuTexRefGetBorderColor(pBorderColor: Out<CUborderColor>, hTexRef: CUtexref);
#[since(2000)] #[call(op = 425)] #[does(nothing)]
fn cuTexRefGetFilterMode(pfm: Out<i32>, hTexRef: CUtexref);
#[since(2000)] #[call(op = 426)] #[does(nothing)]
fn cuTexRefGetFlags(pFlags: Out<u32>, hTexRef: CUtexref);
#[since(2000)] #[call(op = 427)] #[does(nothing)]
fn cuTexRefGetFormat(pFormat: Option<Out<i32>>, pNumChannels: Option<Out<i32>>, hTexRef: CUtexref);
#[since(5000)] #[call(op = 428)] #[does(nothing)]
fn cuTexRefGetMaxAnisotropy(pmaxAniso: Out<i32>, hTexRef: CUtexref);
#[since(5000)] #[call(op = 429)] #[does(nothing)]
fn cuTexRefGetMipmapFilterMode(pfm: Out<i32>, hTexRef: CUtexref);
#[since(5000)] #[call(op = 430)] #[does(nothing)]
fn cuTexRefGetMipmapLevelBias(pbias: Out<f32>, hTexRef: CUtexref);
#[since(5000)] #[call(op = 431)] #[does(nothing)]
fn cuTexRefGetMipmapLevelClamp(
    pminMipmapLevelClamp: Option<Out<f32>>, pmaxMipmapLevelClamp: Option<Out<f32>>,
    hTexRef: CUtexref,
);
#[since(5000)]
#[is(code::references::mipmapped_array(marshal::texref(hTexRef)) -> phMipmappedArray)]
fn cuTexRefGetMipmappedArray(phMipmappedArray: *mut CUmipmappedArray, hTexRef: CUtexref);
#[since(2000)] #[form_of(cuTexRefSetAddress_v2, narrow)]
fn cuTexRefSetAddress(ByteOffset: *mut u32, hTexRef: CUtexref, dptr: CUdeviceptr_v1, bytes: u32);
#[since(3020)] #[call(op = 421)] #[does(nothing)]
fn cuTexRefSetAddress_v2(
    ByteOffset: Option<Out<usize>>, hTexRef: CUtexref, dptr: CUdeviceptr, bytes: usize,
);
#[since(2020)] #[form_of(cuTexRefSetAddress2D_v3, narrow)]
fn cuTexRefSetAddress2D(
    hTexRef: CUtexref, desc: *const CUDA_ARRAY_DESCRIPTOR_v1, dptr: CUdeviceptr_v1, Pitch: u32,
);
#[since(3020)] #[form_of(cuTexRefSetAddress2D_v3)]
fn cuTexRefSetAddress2D_v2(
    hTexRef: CUtexref, desc: *const CUDA_ARRAY_DESCRIPTOR, dptr: CUdeviceptr, Pitch: usize,
);
#[since(4010)] #[call(op = 422)] #[does(nothing)]
fn cuTexRefSetAddress2D_v3(
    hTexRef: CUtexref, desc: In<CUDA_ARRAY_DESCRIPTOR>, dptr: CUdeviceptr, Pitch: usize,
);
#[since(2000)] #[call(op = 411)] #[does(nothing)]
fn cuTexRefSetAddressMode(hTexRef: CUtexref, dim: i32, am: CUaddress_mode);
#[since(2000)] #[call(op = 419)] #[does(nothing)]
fn cuTexRefSetArray(hTexRef: CUtexref, hArray: CUarray, Flags: u32);
#[since(8000)] #[call(op = 417)] #[does(nothing)]
fn cuTexRefSetBorderColor(hTexRef: CUtexref, pBorderColor: In<CUborderColor>);
#[since(2000)] #[call(op = 412)] #[does(nothing)]
fn cuTexRefSetFilterMode(hTexRef: CUtexref, fm: CUfilter_mode);
#[since(2000)] #[call(op = 418)] #[does(nothing)]
fn cuTexRefSetFlags(hTexRef: CUtexref, Flags: u32);
#[since(2000)] #[call(op = 410)] #[does(nothing)]
fn cuTexRefSetFormat(hTexRef: CUtexref, fmt: CUarray_format, NumPackedComponents: i32);
#[since(5000)] #[call(op = 416)] #[does(nothing)]
fn cuTexRefSetMaxAnisotropy(hTexRef: CUtexref, maxAniso: u32);
#[since(5000)] #[call(op = 413)] #[does(nothing)]
fn cuTexRefSetMipmapFilterMode(hTexRef: CUtexref, fm: CUfilter_mode);
#[since(5000)] #[call(op = 414)] #[does(nothing)]
fn cuTexRefSetMipmapLevelBias(hTexRef: CUtexref, bias: f32);
#[since(5000)] #[call(op = 415)] #[does(nothing)]
fn cuTexRefSetMipmapLevelClamp(
    hTexRef: CUtexref, minMipmapLevelClamp: f32, maxMipmapLevelClamp: f32,
);
#[since(5000)] #[call(op = 420)] #[does(nothing)]
fn cuTexRefSetMipmappedArray(hTexRef: CUtexref, hMipmappedArray: CUmipmappedArray, Flags: u32);
