//! Texture and surface objects. The client gets the driver's own numbers, because kernels find
//! these in their parameters. A command may contain only numbers that this session was given.

use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::io::marshal;
use crate::worker::io::marshal::c_name;
use crate::worker::state::Worker;
use outhaul_abi::types::*;
use outhaul_wire::messages::{
    ReferenceArray, ReferenceArrayReply, ReferenceFind, SurfaceCreate, SurfaceCreateReply,
    SurfaceDestroy, TensorMapReplaceAddress, TensorMapReplaceAddressReply, TextureCreate,
    TextureCreateReply, TextureDestroy, TextureReferenceCreate, TextureReferenceDestroy,
};

fn resource(worker: &Worker, m: &TextureCreate<'_>) -> Result<CUDA_RESOURCE_DESC, Refusal> {
    let mut resource =
        CUDA_RESOURCE_DESC { resType: m.kind, pad: 0, res: [0; 16], flags: 0, pad2: 0 };
    let format = u64::from(m.format as u32) | u64::from(m.channels) << 32;
    match m.kind {
        values::RESOURCE_TYPE_ARRAY => resource.res[0] = worker.objects.array(m.array)?.0 as u64,
        values::RESOURCE_TYPE_MIPMAPPED_ARRAY => {
            resource.res[0] = worker.objects.mipmapped_array(m.array)?.0 as u64
        }
        values::RESOURCE_TYPE_LINEAR => {
            resource.res[..3].copy_from_slice(&[m.address, format, m.width])
        }
        values::RESOURCE_TYPE_PITCH2D => resource.res[..5].copy_from_slice(&[
            m.address,
            format,
            m.width,
            m.height,
            m.pitch_bytes,
        ]),
        other => return Err(Refusal::Violation(format!("{other} is not a kind of resource"))),
    }
    Ok(resource)
}

/// Looks up a module's variable to which textures or surfaces are bound.
fn find_reference(worker: &mut Worker, m: &ReferenceFind<'_>) -> Result<(), Refusal> {
    worker.textures.check_room()?;
    let (module, name) = (worker.objects.module(m.module)?, c_name(m.name)?);
    if m.surface {
        let mut raw = CUsurfref::NULL;
        // SAFETY: the module is the session's own, the name ends in NUL, and the out-pointer is a
        // local.
        unsafe { worker.driver.cuModuleGetSurfRef(&mut raw, module, name.as_ptr()) }.ok()?;
        worker.textures.put_reference(m.module, m.reference);
        return worker.objects.put_surfref(m.reference, Ok(raw));
    }
    let mut raw = CUtexref::NULL;
    // SAFETY: the module is the session's own, the name ends in NUL, and the out-pointer is a
    // local.
    unsafe { worker.driver.cuModuleGetTexRef(&mut raw, module, name.as_ptr()) }.ok()?;
    worker.textures.put_reference(m.module, m.reference);
    worker.objects.put_texref(m.reference, Ok(raw))
}

fn create_reference(worker: &mut Worker, m: &TextureReferenceCreate) -> Result<(), Refusal> {
    let mut raw = CUtexref::NULL;
    // SAFETY: the out-pointer is a local.
    unsafe { worker.driver.cuTexRefCreate(&mut raw) }.ok()?;
    worker.objects.put_texref(m.reference, Ok(raw))
}

impl Worker {
    /// Handles `TextureReferenceDestroy`.
    pub fn texture_reference_destroy(
        &mut self,
        m: &TextureReferenceDestroy,
    ) -> Result<(), Refusal> {
        let raw = self.objects.texref(m.reference)?;
        self.objects.remove(m.reference)?;
        // SAFETY: the reference was the session's own and has left the table.
        Ok(unsafe { self.driver.cuTexRefDestroy(raw) }.ok()?)
    }
}

/// Returns the client's handle for the array to which a reference is bound.
fn array_of_reference(worker: &Worker, m: &ReferenceArray) -> Result<u64, Refusal> {
    let (driver, objects) = (&worker.driver, &worker.objects);
    let (mut array, mut mipmapped) = (CUarray::NULL, CUmipmappedArray::NULL);
    // SAFETY: references are the session's own, and the out-pointers are locals.
    unsafe {
        match m.which {
            0 => driver.cuTexRefGetArray(&mut array, objects.texref(m.reference)?),
            1 => driver.cuTexRefGetMipmappedArray(&mut mipmapped, objects.texref(m.reference)?),
            2 => driver.cuSurfRefGetArray(&mut array, objects.surfref(m.reference)?),
            other => return Err(Refusal::Violation(format!("array {other} of a reference"))),
        }
    }
    .ok()?;
    let found =
        if m.which == 1 { objects.find_mipmapped(mipmapped) } else { objects.find_array(array) };
    found.ok_or(Refusal::Driver(CUresult::INVALID_VALUE))
}

impl Worker {
    /// Handles `TextureCreate`.
    pub fn texture_create(
        &mut self,
        m: &TextureCreate<'_>,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        self.textures.check_room()?;
        let resource = resource(self, m)?;
        let description: CUDA_TEXTURE_DESC = marshal::read(m.texture)?;
        let view: Option<CUDA_RESOURCE_VIEW_DESC> =
            if m.view.is_empty() { None } else { Some(marshal::read(m.view)?) };
        let view = view.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        let mut texture = 0;
        // SAFETY: the descriptions outlive the call and name the session's arrays; the out-pointer
        // is a local.
        unsafe { self.driver.cuTexObjectCreate(&mut texture, &resource, &description, view) }
            .ok()?;
        self.textures.put_texture(self.current, texture);
        ticket.answer(&TextureCreateReply { texture });
        Ok(())
    }
}

/// Fails if the command's context has ended, because its textures and surfaces ended with it.
/// Another thread of the program may have destroyed the context meanwhile.
fn check_context(worker: &Worker) -> Result<(), Refusal> {
    if worker.current == 0 { Ok(()) } else { worker.context().map(drop) }
}

fn destroy(worker: &mut Worker, texture: CUtexObject) -> Result<(), Refusal> {
    check_context(worker)?;
    if !worker.textures.take_texture(worker.current, texture) {
        return Err(Refusal::Violation(format!(
            "texture {texture:#x} is not one of this session's"
        )));
    }
    // SAFETY: the object was the session's own and has left the table.
    Ok(unsafe { worker.driver.cuTexObjectDestroy(texture) }.ok()?)
}

impl Worker {
    /// Handles `SurfaceCreate`.
    pub fn surface_create(&mut self, m: &SurfaceCreate, ticket: &Ticket) -> Result<(), Refusal> {
        self.textures.check_room()?;
        let mut resource = CUDA_RESOURCE_DESC {
            resType: values::RESOURCE_TYPE_ARRAY,
            pad: 0,
            res: [0; 16],
            flags: 0,
            pad2: 0,
        };
        resource.res[0] = self.objects.array(m.array)?.0 as u64;
        let mut surface = 0;
        // SAFETY: the description outlives the call and names the session's array; the out-pointer
        // is a local.
        unsafe { self.driver.cuSurfObjectCreate(&mut surface, &resource) }.ok()?;
        self.textures.put_surface(self.current, surface);
        ticket.answer(&SurfaceCreateReply { surface });
        Ok(())
    }
}

fn destroy_surface(worker: &mut Worker, surface: CUsurfObject) -> Result<(), Refusal> {
    check_context(worker)?;
    if !worker.textures.take_surface(worker.current, surface) {
        return Err(Refusal::Violation(format!(
            "surface {surface:#x} is not one of this session's"
        )));
    }
    // SAFETY: the object was the session's own and has left the table.
    Ok(unsafe { worker.driver.cuSurfObjectDestroy(surface) }.ok()?)
}

impl Worker {
    /// Handles `TextureDestroy`.
    pub fn texture_destroy(&mut self, m: &TextureDestroy) -> Result<(), Refusal> {
        destroy(self, m.texture)
    }

    /// Handles `SurfaceDestroy`.
    pub fn surface_destroy(&mut self, m: &SurfaceDestroy) -> Result<(), Refusal> {
        destroy_surface(self, m.surface)
    }

    /// Handles `ReferenceFind`.
    pub fn reference_find(
        &mut self,
        m: &ReferenceFind<'_>,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        find_reference(self, m)?;
        ticket.answer(&());
        Ok(())
    }

    /// Handles `TextureReferenceCreate`.
    pub fn texture_reference_create(
        &mut self,
        m: &TextureReferenceCreate,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        create_reference(self, m)?;
        ticket.answer(&());
        Ok(())
    }

    /// Handles `ReferenceArray`.
    pub fn reference_array(&mut self, m: &ReferenceArray, ticket: &Ticket) -> Result<(), Refusal> {
        ticket.answer(&ReferenceArrayReply { array: array_of_reference(self, m)? });
        Ok(())
    }

    /// Handles `TensorMapReplaceAddress`.
    pub fn tensor_map_replace_address(
        &mut self,
        m: &TensorMapReplaceAddress,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        let mut map = CUtensorMap { opaque: m.map };
        // SAFETY: the map is a local; the driver does not dereference the address.
        unsafe { self.driver.cuTensorMapReplaceAddress(&mut map, m.address) }.ok()?;
        ticket.answer(&TensorMapReplaceAddressReply { map: map.opaque });
        Ok(())
    }
}
