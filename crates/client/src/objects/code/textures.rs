//! Texture and surface objects, as the program described them.

use outhaul_abi::types::*;
use outhaul_lock::{Mutex, MutexGuard};
use std::collections::HashMap;

/// A texture object as the program described it.
#[derive(Clone, Copy)]
pub struct Texture {
    pub resource: CUDA_RESOURCE_DESC,
    pub texture: CUDA_TEXTURE_DESC,
    pub view: Option<CUDA_RESOURCE_VIEW_DESC>,
}

/// Texture and surface objects. The context is part of the key, because two contexts may use the
/// same handle.
#[derive(Default)]
pub struct Textures {
    textures: Mutex<HashMap<(u16, CUtexObject), Texture>>,
    surfaces: Mutex<HashMap<(u16, CUsurfObject), CUDA_RESOURCE_DESC>>,
}

impl Textures {
    /// Locks the texture objects.
    pub fn textures(&self) -> MutexGuard<'_, HashMap<(u16, CUtexObject), Texture>> {
        self.textures.lock()
    }

    /// Locks the surface objects.
    pub fn surfaces(&self) -> MutexGuard<'_, HashMap<(u16, CUsurfObject), CUDA_RESOURCE_DESC>> {
        self.surfaces.lock()
    }

    /// Forgets the objects of `context`, which is being destroyed.
    pub fn forget_all(&self, context: u16) {
        self.textures().retain(|(of, _), _| *of != context);
        self.surfaces().retain(|(of, _), _| *of != context);
    }
}
