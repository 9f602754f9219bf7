//! A trial of the cell: it shows whether the walls can be raised, and whether a driver works inside
//! them. The trial runs in its own process, which cannot be used for anything else afterwards.

use super::{Missing, Needs, Plan, Wall};
use crate::accounting::tenants::Payer;
use crate::cell::code_cache;
use crate::cell::code_cache::Compiled;
use crate::cell::environment;
use crate::cell::scratch;
use crate::cell::scratch::{Folder, Scratch};
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUfunction, CUmodule, CUresult, CUstream};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::ptr::null_mut;

/// A GPU kernel for any GPU and any release of a driver.
const KERNEL: &std::ffi::CStr =
    c".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n";
/// Size of an allocation that must come from the GPU's memory.
const MEMORY_BYTES: usize = 4096;

/// A trial's result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// Walls that should have been raised but were not.
    pub missing: Vec<Missing>,
    /// Number of steps that the driver completed, of those with which a session usually begins.
    pub steps: u32,
    /// Why the driver did not complete more steps.
    pub failure: Option<String>,
}

/// Puts this process into the cell. If `with_driver` is true, also makes the driver take the steps
/// with which a session usually begins.
pub fn hold(plan: &Plan, needs: &Needs<'_>, with_driver: bool) -> Trial {
    let mut missing = [plan.close_after(libc::STDERR_FILENO), plan.enter(needs)].concat();
    let mut steps = 0;
    let mut take = |what: &str, result: CUresult| match result.ok() {
        Ok(()) => {
            steps += 1;
            Ok(())
        }
        Err(error) => Err(format!("{what}: {error}")),
    };
    let started = with_driver.then(|| {
        let driver = Driver::open(needs.library).map_err(|error| error.to_string())?;
        // SAFETY: takes no pointers.
        take("it does not start", unsafe { driver.cuInit(0) }).map(|()| driver)
    });
    missing.extend(plan.close(|_| {}));
    let worked = started.map(|started| started.and_then(|driver| work(&driver, &mut take)));
    let failure = worked.and_then(Result::err);
    Trial { missing, steps, failure }
}

/// Takes the steps that need a context, on the first GPU.
fn work(
    driver: &Driver,
    take: &mut impl FnMut(&str, CUresult) -> Result<(), String>,
) -> Result<(), String> {
    let (mut device, mut context, mut memory) = (0, CUcontext(0), 0);
    let (mut module, mut kernel) = (CUmodule(0), CUfunction(0));
    // SAFETY: the out-pointers refer to locals of the right types; the kernel has no parameters,
    // and its text ends with a zero.
    unsafe {
        take("it shows no GPU", driver.cuDeviceGet(&mut device, 0))?;
        take("it makes no context", driver.cuDevicePrimaryCtxRetain(&mut context, device))?;
        take("its context cannot be used", driver.cuCtxSetCurrent(context))?;
        take("it gives no memory", driver.cuMemAlloc_v2(&mut memory, MEMORY_BYTES))?;
        take("it loads no kernel", driver.cuModuleLoadData(&mut module, KERNEL.as_ptr().cast()))?;
        take("it finds no kernel", driver.cuModuleGetFunction(&mut kernel, module, c"k".as_ptr()))?;
        let launched =
            driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, CUstream(0), null_mut(), null_mut());
        take("it launches no kernel", launched)?;
        take("its kernel does not end well", driver.cuCtxSynchronize())
    }
}

/// The environment of a process that tries the cell: a worker's environment.
pub struct Room {
    variables: Vec<(OsString, OsString)>,
    _folder: Option<Folder>,
    _scratch: Option<Scratch>,
}

impl Room {
    /// Creates the environment.
    pub fn open(plan: &Plan) -> Room {
        let mut variables: Vec<_> = environment::of_worker().collect();
        let walled = plan.is_wanted(Wall::Files);
        let scratch = walled.then(|| Scratch::open().ok()).flatten();
        let folder = scratch.as_ref().and_then(|scratch| scratch.folder().ok());
        for name in folder.iter().flat_map(|_| [scratch::VARIABLE, "TMPDIR"]) {
            variables.extend(folder.as_ref().map(|folder| (name.into(), folder.path().into())));
        }
        let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let compiled = walled.then(|| Compiled::of_node(nowhere)).flatten();
        let compiled = compiled.and_then(|compiled| compiled.folder(&Payer::Own));
        variables.extend(compiled.map(|folder| (code_cache::VARIABLE.into(), folder.into())));
        Room { variables, _folder: folder, _scratch: scratch }
    }

    /// Returns all variables of the environment.
    pub fn variables(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.variables.iter().map(|(name, value)| (name, value))
    }
}
