//! The program's code images: reduces them to code that the devices can run, and reports images
//! that have no such code.

use crate::base::log;
use crate::driver::state::driver;
use crate::objects::code::image::Image;
use outhaul_abi::SOFTWARE_GPU;
use outhaul_abi::code::fatbin::EntryKind;
use outhaul_abi::code::{fatbin, unsupported_code};
use outhaul_abi::types::*;
use std::ffi::c_void;

impl Image {
    /// Reads the program's image at `image`, and reduces it to code that the devices can run.
    ///
    /// # Safety
    /// As for `fatbin::Image::at`.
    pub unsafe fn at(image: *const c_void) -> Result<Image, CUresult> {
        // SAFETY: the caller upholds this function's contract.
        Image::reduced(unsafe { fatbin::Image::at(image.cast()) })
    }

    /// Reduces an image in a file as `at` does. Reads nothing outside `bytes`.
    pub fn of_file(bytes: &[u8]) -> Result<Image, CUresult> {
        Image::reduced(fatbin::Image::of(bytes))
    }

    fn reduced(image: Result<fatbin::Image<'_>, fatbin::ImageError>) -> Result<Image, CUresult> {
        let image = image.map_err(|error| {
            log::note(|| format!("a code image is refused: {error}"));
            CUresult::INVALID_IMAGE
        })?;
        match image {
            fatbin::Image::Fatbin(containers) => cut(&containers),
            fatbin::Image::Cubin(bytes) | fatbin::Image::Ptx(bytes) => {
                Ok(Image::new(bytes.to_vec()))
            }
        }
    }
}

/// Reduces a program's containers to code that the session's devices can run. If a program was
/// compiled in parts, its linked code is in the first container. A driver that cannot run that code
/// links the parts again, and needs all of them.
fn cut(containers: &[&[u8]]) -> Result<Image, CUresult> {
    let capabilities: Vec<u32> = driver()?.facts.devices.iter().map(|d| d.capability()).collect();
    let (linked, parts) = containers.split_first().ok_or(CUresult::INVALID_IMAGE)?;
    let linked_code = cut_one(linked, &capabilities)?;
    let parts: Option<Vec<_>> =
        parts.iter().map(|part| cut_one(part, &capabilities)).collect::<Result<_, _>>()?;
    let parts = parts.unwrap_or_default();
    if linked_code.is_none() && parts.is_empty() {
        refused(&capabilities, containers);
        return Err(CUresult::NO_BINARY_FOR_GPU);
    }
    let nothing = || fatbin::cut(linked, |_| false).map_err(|_| CUresult::INVALID_IMAGE);
    let mut all = vec![linked_code.map_or_else(nothing, Ok)?];
    all.extend(parts);
    Ok(Image::new(fatbin::join(&all)))
}

/// Keeps a container's best machine code for each device, and all PTX that the devices can compile.
/// Returns `None` if the container has neither.
fn cut_one(container: &[u8], capabilities: &[u32]) -> Result<Option<Vec<u8>>, CUresult> {
    let entries = fatbin::entries(container).map_err(|_| CUresult::INVALID_IMAGE)?;
    let best: Vec<Option<u32>> = capabilities
        .iter()
        .map(|sm| {
            entries
                .iter()
                .filter(|e| e.kind == EntryKind::Cubin && e.runs_on(*sm))
                .map(|e| e.sm)
                .max()
        })
        .collect();
    let keep = |entry: &fatbin::Entry<'_>| {
        capabilities.iter().zip(&best).any(|(sm, best)| {
            entry.runs_on(*sm) && (entry.kind != EntryKind::Cubin || Some(entry.sm) == *best)
        })
    };
    if !entries.iter().any(keep) {
        return Ok(None);
    }
    fatbin::cut(container, keep).map(Some).map_err(|_| CUresult::INVALID_IMAGE)
}

/// Reports that no device can run any of the code. For the software GPU the report is always
/// printed, because a framework may hide the error.
fn refused(capabilities: &[u32], containers: &[&[u8]]) {
    let entries =
        containers.iter().filter_map(|container| fatbin::entries(container).ok()).flatten();
    let targets: Vec<String> = entries.map(|entry| entry.target()).collect();
    let shown: Vec<String> =
        capabilities.iter().map(|sm| format!("{}.{}", sm / 10, sm % 10)).collect();
    if log::verbose() {
        log::note(|| {
            format!(
                "a module has no code for compute capability {}; it has {}",
                shown.join(", "),
                targets.join(", ")
            )
        });
    } else if has_software_gpu() {
        unsupported_code::report(&unsupported_code::no_ptx(&shown.join(", "), &targets));
    }
}

/// Returns whether the software GPU is among the devices.
pub fn has_software_gpu() -> bool {
    driver().is_ok_and(|driver| {
        driver.facts.devices.iter().any(|device| device.name.starts_with(SOFTWARE_GPU))
    })
}

/// Reports why the node's driver rejected a code image.
pub fn refused_there(code: CUresult, error_log: &[u8]) {
    let reasons = String::from_utf8_lossy(error_log);
    if log::verbose() {
        log::note(|| format!("a code image is refused: {code}: {}", reasons.trim_end()));
    } else if has_software_gpu() {
        reasons
            .lines()
            .filter(|reason| !reason.trim().is_empty())
            .for_each(unsupported_code::report);
    }
}
