//! User objects: a destructor of the program that runs when the last reference is released. The
//! program, a graph, an executable graph or a running launch may hold references.

use outhaul_lock::Mutex;
use std::sync::{Arc, Weak};

use crate::driver::lock;
use crate::driver::objects::graphs::host_call::HostCall;
use crate::driver::system::error::{Error, Result};
use crate::driver::system::signal_mask;

/// A user object's resource. The `Arc`s around a resource count its references.
pub struct Resource {
    /// The user object's handle, which becomes invalid when the resource is dropped.
    handle: u64,
    destroy: HostCall,
    /// Invalidates the handle.
    forget: fn(u64),
}

impl Drop for Resource {
    /// Runs the destructor asynchronously, as CUDA does, because the destructor may need a lock
    /// that the caller holds.
    fn drop(&mut self) {
        (self.forget)(self.handle);
        let destroy = self.destroy;
        let _blocked = signal_mask::block_all();
        let _ =
            std::thread::Builder::new().name("outhaul-destroy".into()).spawn(move || destroy.run());
    }
}

/// One holder's references to one resource.
#[derive(Clone)]
pub struct References {
    _resource: Arc<Resource>,
    count: u32,
}

/// A `CUuserObject`.
pub struct UserObject {
    resource: Weak<Resource>,
    /// The program's own references.
    owned: Mutex<Option<References>>,
}

impl References {
    /// Adds the references of another holder.
    pub fn join(&mut self, more: &References) -> Result<()> {
        self.count = self.count.checked_add(more.count).ok_or(Error::InvalidValue)?;
        Ok(())
    }

    /// Removes `count` references. The holder must drop `self` when none is left.
    pub fn reduce(&mut self, count: u32) -> Result<()> {
        self.count = self.count.checked_sub(count).ok_or(Error::InvalidValue)?;
        Ok(())
    }

    /// Returns whether no references are left.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl UserObject {
    /// Creates a user object with `count` references of the program. `forget` invalidates the
    /// handle.
    pub fn new(handle: u64, destroy: HostCall, count: u32, forget: fn(u64)) -> UserObject {
        let resource = Arc::new(Resource { handle, destroy, forget });
        UserObject {
            resource: Arc::downgrade(&resource),
            owned: Mutex::new(Some(References { _resource: resource, count })),
        }
    }

    /// Returns `count` new references for a holder.
    pub fn references(&self, count: u32) -> Result<References> {
        let resource = self.resource.upgrade().filter(|_| count > 0).ok_or(Error::InvalidValue)?;
        Ok(References { _resource: resource, count })
    }

    /// Adds references of the program.
    pub fn retain(&self, count: u32) -> Result<()> {
        let more = self.references(count)?;
        match &mut *lock(&self.owned) {
            Some(owned) => owned.join(&more),
            owned => {
                *owned = Some(more);
                Ok(())
            }
        }
    }

    /// Releases references of the program.
    pub fn release(&self, count: u32) -> Result<()> {
        let mut owned = lock(&self.owned);
        let references = owned.as_mut().filter(|_| count > 0).ok_or(Error::InvalidValue)?;
        references.reduce(count)?;
        if references.is_empty() {
            *owned = None;
        }
        Ok(())
    }
}
