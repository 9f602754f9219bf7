//! A node's description of a kernel on one device.

use outhaul_abi::types::{CUresult, values};
use outhaul_wire::messages::{GetFunctionReply, ParamLayout};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// Sentinel for an attribute that the node's driver does not know.
const NO_ATTRIBUTE: i32 = i32::MIN;

/// Facts about a kernel on one device. All functions of the kernel share them.
pub struct Facts {
    /// Each parameter's offset and size in bytes.
    pub params: Arc<[(u32, u32)]>,
    attributes: Vec<AtomicI32>,
    /// Whether the code fixes the cluster size, so that the program cannot change it.
    pub cluster_is_compiled: bool,
}

impl Facts {
    /// Converts the node's description.
    pub fn new(params: &[ParamLayout], attributes: Vec<i32>) -> Facts {
        let params = params.iter().map(|p| (p.offset_bytes, p.size_bytes)).collect();
        let cluster_is_compiled = attributes
            .get(values::FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH as usize)
            .is_some_and(|blocks| *blocks > 0);
        Facts {
            params,
            attributes: attributes.into_iter().map(AtomicI32::new).collect(),
            cluster_is_compiled,
        }
    }

    /// Returns the value of an attribute, or `INVALID_VALUE`.
    pub fn attribute(&self, id: i32) -> Result<i32, CUresult> {
        let value =
            usize::try_from(id).ok().and_then(|i| self.attributes.get(i)).map(|v| v.load(Relaxed));
        value.filter(|v| *v != NO_ATTRIBUTE).ok_or(CUresult::INVALID_VALUE)
    }

    /// Returns the values of all attributes, as bytes. They become part of a query's cache key if
    /// the answer depends on them.
    pub fn attribute_bytes(&self) -> Vec<u8> {
        self.attributes.iter().flat_map(|v| v.load(Relaxed).to_le_bytes()).collect()
    }

    /// Sets an attribute. Returns whether the value changed.
    pub fn set_attribute(&self, id: i32, value: i32) -> Result<bool, CUresult> {
        let place = usize::try_from(id)
            .ok()
            .and_then(|i| self.attributes.get(i))
            .ok_or(CUresult::INVALID_VALUE)?;
        Ok(place.swap(value, Relaxed) != value)
    }

    /// Returns the size of all parameters in bytes, with padding.
    pub fn param_bytes(&self) -> usize {
        self.params.iter().map(|(offset, size)| (offset + size) as usize).max().unwrap_or(0)
    }

    /// Returns the upper bound of the dynamic shared memory for which a launch may ask, in bytes.
    pub fn dynamic_shared_bytes_max(&self) -> u32 {
        self.attribute(values::FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
            .map_or(u32::MAX, |v| v as u32)
    }

    /// Returns the cluster shape in blocks, if the code or the program fixes it.
    pub fn cluster(&self) -> Option<[u32; 3]> {
        let width = values::FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
        let shape = std::array::from_fn(|axis| {
            self.attribute(width + axis as i32).map_or(0, |blocks| blocks as u32)
        });
        (shape != [0; 3]).then_some(shape)
    }

    /// Returns whether launches must use clusters.
    pub fn needs_clusters(&self) -> bool {
        self.attribute(values::FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET).is_ok_and(|must| must != 0)
    }

    /// Returns whether launches may use clusters larger than the size that every device supports.
    pub fn allows_larger_clusters(&self) -> bool {
        self.attribute(values::FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
            .is_ok_and(|allowed| allowed != 0)
    }

    /// Returns the maximum number of threads per block.
    pub fn threads_per_block_max(&self) -> u32 {
        self.attribute(values::FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK).map_or(u32::MAX, |v| v as u32)
    }
}

/// Returns the facts in `reply`, if the node described the function.
pub fn described(reply: GetFunctionReply) -> Result<Option<Arc<Facts>>, CUresult> {
    Ok(reply.described.then(|| Arc::new(Facts::new(&reply.params.0, reply.attributes.0))))
}
