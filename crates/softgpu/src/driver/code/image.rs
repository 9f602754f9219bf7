//! Extracts PTX texts from the code images that a program passes.
//!
//! The newest PTX that this device can run is used. Cubins are a GPU's machine code and are never
//! used. `cuLinkComplete` returns a fat binary whose only PTX entry holds several texts, each
//! terminated by NUL. Therefore any program or library that can determine a fat binary's length can
//! carry this image.

use std::io::Read;

use outhaul_abi::code::fatbin;
use outhaul_abi::code::fatbin::{Compression, Entry, EntryKind, Image};
use outhaul_abi::code::unsupported_code::no_ptx;

use crate::driver::state::Driver;
use crate::driver::system::error::{Error, Result};

/// Maximum length of texts in bytes, more than any real module has, so that a corrupt header cannot
/// cause unlimited allocation.
const TEXT_BYTES_MAX: usize = 256 << 20;
const ENTRY_HEADER_BYTES: u32 = 64;
const PTX_KIND: u16 = 1;
const PLAIN_64_BIT_FLAGS: u64 = 0x11;

impl Driver {
    /// Returns an image's texts, which are to be linked together.
    /// # Safety
    /// `image` points to an image in one of the forms that the driver API accepts.
    pub unsafe fn image_texts(&self, image: *const std::ffi::c_void) -> Result<Vec<String>> {
        if image.is_null() {
            return Err(Error::InvalidValue);
        }
        // SAFETY: the caller upholds this function's contract.
        let image = unsafe { Image::at(image.cast()) }.map_err(|error| {
            self.log(&error.to_string());
            Error::InvalidImage
        })?;
        self.texts(&image)
    }

    /// Returns the texts of an image in `bytes`.
    pub fn image_texts_of(&self, bytes: &[u8]) -> Result<Vec<String>> {
        self.texts(&Image::of(bytes).map_err(|_| Error::InvalidImage)?)
    }

    fn texts(&self, image: &Image<'_>) -> Result<Vec<String>> {
        match image {
            Image::Ptx(text) => split_texts(text),
            Image::Cubin(_) => Err(self.no_ptx(&["a cubin, machine code of a GPU".to_owned()])),
            Image::Fatbin(containers) => self.fatbin_texts(containers),
        }
    }

    /// Returns the error for an image that holds code for `targets` only, and reports it.
    fn no_ptx(&self, targets: &[String]) -> Error {
        let (major, minor) = self.devices[0].capability;
        let reason = no_ptx(&format!("{major}.{minor}"), targets);
        self.refuse(&reason);
        Error::NoBinary(reason)
    }

    /// Returns the linked container's texts if that container has code for this device. Otherwise
    /// returns the texts of the parts from which it was linked.
    fn fatbin_texts(&self, containers: &[&[u8]]) -> Result<Vec<String>> {
        let (major, minor) = self.devices[0].capability;
        let capability = major * 10 + minor;
        let mut found = Vec::new();
        let mut targets = Vec::new();
        for (index, container) in containers.iter().enumerate() {
            let entries = fatbin::entries(container).map_err(|_| Error::InvalidImage)?;
            let fitting = entries
                .iter()
                .filter(|entry| entry.kind == EntryKind::Ptx && entry.runs_on(capability));
            if let Some(entry) = fitting.max_by_key(|entry| entry.sm) {
                found.extend(split_texts(&decompress(entry)?)?);
            }
            targets.extend(entries.iter().map(Entry::target));
            if index == 0 && !found.is_empty() {
                break;
            }
        }
        if found.is_empty() {
            return Err(self.no_ptx(&targets));
        }
        Ok(found)
    }
}

fn split_texts(bytes: &[u8]) -> Result<Vec<String>> {
    let text = std::str::from_utf8(bytes).map_err(|_| Error::InvalidImage)?;
    let texts: Vec<String> =
        text.split('\0').filter(|part| !part.trim().is_empty()).map(str::to_owned).collect();
    if texts.is_empty() { Err(Error::InvalidImage) } else { Ok(texts) }
}

fn decompress(entry: &Entry<'_>) -> Result<Vec<u8>> {
    if entry.uncompressed_bytes > TEXT_BYTES_MAX {
        return Err(Error::InvalidImage);
    }
    match entry.compression {
        Compression::Plain => Ok(entry.payload.to_vec()),
        Compression::Lz4 => lz4_flex::block::decompress(entry.payload, entry.uncompressed_bytes)
            .map_err(|_| Error::InvalidImage),
        Compression::Zstd => {
            let frame = ruzstd::decoding::StreamingDecoder::new(entry.payload)
                .map_err(|_| Error::InvalidImage)?;
            let mut text = Vec::with_capacity(entry.uncompressed_bytes);
            frame
                .take(TEXT_BYTES_MAX as u64)
                .read_to_end(&mut text)
                .map_err(|_| Error::InvalidImage)?;
            Ok(text)
        }
    }
}

/// Returns a fat binary with one uncompressed PTX entry that holds `texts`.
pub fn container_of(texts: &[String], sm: u32) -> Vec<u8> {
    let mut payload: Vec<u8> = texts.iter().flat_map(|text| text.bytes().chain([0])).collect();
    payload.resize(payload.len().next_multiple_of(8), 0);
    let mut out = Vec::with_capacity(payload.len() + 80);
    out.extend(fatbin::CONTAINER_MAGIC.to_le_bytes());
    out.extend(1_u16.to_le_bytes());
    out.extend(16_u16.to_le_bytes());
    out.extend((u64::from(ENTRY_HEADER_BYTES) + payload.len() as u64).to_le_bytes());
    out.extend(PTX_KIND.to_le_bytes());
    out.extend(0x0101_u16.to_le_bytes());
    out.extend(ENTRY_HEADER_BYTES.to_le_bytes());
    out.extend((payload.len() as u64).to_le_bytes());
    out.extend([0; 12]); // compressed size, options, ISA version
    out.extend(sm.to_le_bytes());
    out.extend([0; 8]); // name
    out.extend(PLAIN_64_BIT_FLAGS.to_le_bytes());
    out.extend([0; 16]);
    out.extend(payload);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linked_container_gives_its_texts_back() {
        let texts = vec![".version 8.0\n".to_owned(), ".version 7.0 // second\n".to_owned()];
        let container = container_of(&texts, 75);
        let entries = fatbin::entries(&container).unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!((entries[0].kind, entries[0].sm), (EntryKind::Ptx, 75));
        assert_eq!(split_texts(&decompress(&entries[0]).unwrap()).unwrap(), texts);
    }

    #[test]
    fn text_that_is_none_is_refused() {
        assert_eq!(split_texts(b"\0\0 \n"), Err(Error::InvalidImage));
        assert_eq!(split_texts(&[0xff, 0xfe, 0, 0]), Err(Error::InvalidImage));
    }
}
