//! User objects: a destructor of the program that runs when the last reference goes, be it the
//! program's own, a graph's, an executable graph's, or that of a launch under way.

use outhaul_lock::Mutex;
use std::sync::{Arc, Weak};

use super::error::{Error, Result};
use super::task::HostCall;
use super::{lock, signals, state};

/// The reference count is that of the `Arc`s around it.
pub struct Resource {
    /// Of the user object, which nothing can name once this is gone.
    handle: u64,
    destroy: HostCall,
}

impl Drop for Resource {
    /// CUDA runs destructors asynchronously: one may want a lock that our caller holds.
    fn drop(&mut self) {
        if let Some(driver) = state::started() {
            driver.user_objects.remove(self.handle);
        }
        let destroy = self.destroy;
        let _blocked = signals::block_all();
        let _ =
            std::thread::Builder::new().name("outhaul-destroy".into()).spawn(move || destroy.run());
    }
}

/// References of one holder to one resource.
#[derive(Clone)]
pub struct References {
    _resource: Arc<Resource>,
    count: u32,
}

/// What a `CUuserObject` names.
pub struct UserObject {
    resource: Weak<Resource>,
    /// The program's own references.
    owned: Mutex<Option<References>>,
}

impl References {
    /// The references of two holders together.
    pub fn join(&mut self, more: &References) -> Result<()> {
        self.count = self.count.checked_add(more.count).ok_or(Error::InvalidValue)?;
        Ok(())
    }

    /// Takes some away. The holder drops the rest when none is left.
    pub fn reduce(&mut self, count: u32) -> Result<()> {
        self.count = self.count.checked_sub(count).ok_or(Error::InvalidValue)?;
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl UserObject {
    pub fn new(handle: u64, destroy: HostCall, count: u32) -> UserObject {
        let resource = Arc::new(Resource { handle, destroy });
        UserObject {
            resource: Arc::downgrade(&resource),
            owned: Mutex::new(Some(References { _resource: resource, count })),
        }
    }

    /// New references for some holder.
    pub fn references(&self, count: u32) -> Result<References> {
        let resource = self.resource.upgrade().filter(|_| count > 0).ok_or(Error::InvalidValue)?;
        Ok(References { _resource: resource, count })
    }

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
