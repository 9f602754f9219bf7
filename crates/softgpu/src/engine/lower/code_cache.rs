//! A cache of machine code in a folder, for later processes. The stored code is independent of the
//! process, because it refers to functions by number. The key contains the PTX, the function, this
//! build of the library, and the processor.

use std::collections::HashSet;
use std::ffi::CStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::{ExternalName, Function as Clif};
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::{CompiledCode, FinalizedRelocTarget};
use outhaul_abi::code::nvrtc_cache;

use crate::engine::CompileError;
use crate::engine::link::Linked;
use crate::engine::lower::lowering::{Entered, Lowered, Lowering};

/// Namespace for this library's functions. Their numbers are offsets from the library's start.
pub const ENGINE: u32 = 0;
/// Namespace for the cells that hold the addresses of the program's functions.
pub const CELL: u32 = 1;

/// Whether to store compiled code and look it up. The engine's tests do not.
static KEEPING: AtomicBool = AtomicBool::new(false);

const FORM: &[u8] = b"softgpu function 1";

/// The machine code of a function.
pub struct Stored {
    code: Vec<u8>,
    references: Vec<Reference>,
    /// Number of stack bytes that the function needs.
    pub stack_bytes: usize,
    /// Results of lowering the function.
    pub lowering: Lowering,
}

struct Reference {
    offset: u32,
    namespace: u32,
    index: u32,
    addend: i64,
}

/// Makes this process store compiled code and look it up.
pub fn keep_compiled() {
    KEEPING.store(true, Ordering::Relaxed);
}

/// Returns this library's address in memory, and a text that identifies the build.
fn library() -> Option<&'static (usize, Vec<u8>)> {
    static LIBRARY: OnceLock<Option<(usize, Vec<u8>)>> = OnceLock::new();
    let find = || {
        // SAFETY: all-zero bytes are a valid `Dl_info`. `info` is valid for writes.
        let info = unsafe {
            let mut info: libc::Dl_info = std::mem::zeroed();
            if libc::dladdr(library as *const () as *const _, &mut info) == 0
                || info.dli_fname.is_null()
            {
                return None;
            }
            info
        };
        // SAFETY: `dli_fname` is a C string that lives as long as the library.
        let path = unsafe { CStr::from_ptr(info.dli_fname) };
        let file = std::fs::metadata(std::ffi::OsStr::from_bytes(path.to_bytes())).ok()?;
        let build = format!(
            "{} {} {}.{} {}",
            file.ino(),
            file.len(),
            file.mtime(),
            file.mtime_nsec(),
            env!("CARGO_PKG_VERSION")
        );
        Some((info.dli_fbase as usize, build.into_bytes()))
    };
    LIBRARY.get_or_init(find).as_ref()
}

/// Returns the number of the function at `address`, if this library contains the function.
pub fn number(address: usize) -> Option<u32> {
    library().and_then(|(base, _)| u32::try_from(address.checked_sub(*base)?).ok())
}

impl Stored {
    /// Copies newly generated code out of the code generator's context.
    pub fn new(function: &Clif, code: &CompiledCode, lowering: Lowering) -> Lowered<Stored> {
        let mut references = Vec::new();
        for reloc in code.buffer.relocs() {
            let (Reloc::Abs8, FinalizedRelocTarget::ExternalName(ExternalName::User(name))) =
                (reloc.kind, &reloc.target)
            else {
                return Err(CompileError::Internal("code needs a library call".into()));
            };
            let name = &function.params.user_named_funcs()[*name];
            references.push(Reference {
                offset: reloc.offset,
                namespace: name.namespace,
                index: name.index,
                addend: reloc.addend,
            });
        }
        let stack_bytes =
            code.buffer.frame_layout().map_or(0, |layout| layout.frame_to_fp_offset as usize) + 64;
        Ok(Stored { code: code.buffer.data().to_vec(), references, stack_bytes, lowering })
    }

    /// Returns the code, with its references replaced by this process's addresses.
    pub fn placed(&self, linked: &Linked) -> Lowered<Vec<u8>> {
        let mut code = self.code.clone();
        for reference in &self.references {
            let address = match (
                reference.namespace,
                library(),
                linked.functions.get(reference.index as usize),
            ) {
                (ENGINE, Some((base, _)), _) => base + reference.index as usize,
                (CELL, _, Some(function)) => &raw const function.cell as usize,
                _ => return Err(CompileError::Internal("code has an unknown reference".into())),
            };
            let value = (address as u64).wrapping_add_signed(reference.addend);
            let at = reference.offset as usize;
            let Some(place) = code.get_mut(at..at + 8) else {
                return Err(CompileError::Internal("a reference outside the code".into()));
            };
            place.copy_from_slice(&value.to_le_bytes());
        }
        Ok(code)
    }

    /// Returns the code that an earlier process stored, if there is any.
    pub fn load(linked: &Linked, id: u32, entered: Entered, isa: &dyn TargetIsa) -> Option<Stored> {
        let (_, build) = library().filter(|_| KEEPING.load(Ordering::Relaxed))?;
        let (function, processor) = (function_key(linked, id, entered), processor(isa));
        let kept =
            nvrtc_cache::get(&[FORM, build, &linked.digest, &function, processor.as_bytes()])?;
        Stored::decode(&kept)
    }

    /// Stores the code for later processes, unless it contains addresses of this process.
    pub fn keep(&self, linked: &Linked, id: u32, entered: Entered, isa: &dyn TargetIsa) {
        let wanted = KEEPING.load(Ordering::Relaxed) && !self.lowering.bound;
        let Some((_, build)) = library().filter(|_| wanted) else { return };
        let (function, processor) = (function_key(linked, id, entered), processor(isa));
        nvrtc_cache::put(
            &[FORM, build, &linked.digest, &function, processor.as_bytes()],
            &self.encode(),
        );
    }

    fn encode(&self) -> Vec<u8> {
        let lowering = &self.lowering;
        let mut bytes = Vec::new();
        let mut put = |value: u64| bytes.extend(value.to_le_bytes());
        for value in [
            self.stack_bytes,
            lowering.frame_bytes,
            usize::from(lowering.calls),
            lowering.referenced.len(),
            self.references.len(),
        ] {
            put(value as u64);
        }
        lowering.referenced.iter().for_each(|id| put(u64::from(*id)));
        for reference in &self.references {
            put(u64::from(reference.offset));
            put(u64::from(reference.namespace) << 32 | u64::from(reference.index));
            put(reference.addend as u64);
        }
        bytes.extend(&self.code);
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Stored> {
        let mut rest = bytes;
        let mut take = || {
            let (value, after) = rest.split_first_chunk::<8>()?;
            rest = after;
            Some(u64::from_le_bytes(*value))
        };
        let [stack_bytes, frame_bytes, calls, functions, references] =
            [take()?, take()?, take()?, take()?, take()?];
        let referenced: HashSet<u32> =
            (0..functions).map(|_| take().map(|id| id as u32)).collect::<Option<_>>()?;
        let mut all = Vec::new();
        for _ in 0..references {
            let (offset, name, addend) = (take()? as u32, take()?, take()? as i64);
            all.push(Reference {
                offset,
                namespace: (name >> 32) as u32,
                index: name as u32,
                addend,
            });
        }
        let lowering = Lowering {
            referenced,
            calls: calls != 0,
            frame_bytes: frame_bytes as usize,
            bound: false,
        };
        Some(Stored {
            code: rest.to_vec(),
            references: all,
            stack_bytes: stack_bytes as usize,
            lowering,
        })
    }
}

fn function_key(linked: &Linked, id: u32, entered: Entered) -> [u8; 6] {
    let [a, b, c, d] = id.to_le_bytes();
    [a, b, c, d, entered as u8, u8::from(linked.checked)]
}

/// Returns the processor features that the code generator may use, as text.
fn processor(isa: &dyn TargetIsa) -> String {
    isa.isa_flags().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
