//! Code images that programs pass to the driver: an image's kind, its end, and the entries of a fat
//! binary. Payloads stay compressed, because the code that compiles them also decompresses them.

use std::ffi::CStr;
use std::fmt;

/// First word of a wrapper, which refers to containers.
pub const WRAPPER_MAGIC: u32 = 0x4662_43B1;
/// First word of a container.
pub const CONTAINER_MAGIC: u32 = 0xBA55_ED50;
const ELF_MAGIC: [u8; 4] = [0x7F, b'E', b'L', b'F'];
const CONTAINER_HEADER_BYTES: usize = 16;
const ENTRY_HEADER_BYTES: usize = 64;
/// Largest image in bytes; all images in NVIDIA's libraries are smaller.
pub const IMAGE_BYTES_MAX: usize = 1 << 30;
/// Maximum number of containers in one wrapper. A separately compiled program has several.
const CONTAINERS_MAX: usize = 4096;
const CONTAINER_ALIGNMENT: usize = 8;

const FLAG_LZ4: u64 = 0x2000;
const FLAG_ZSTD: u64 = 0x8000;
const FLAG_ARCHITECTURE_SPECIFIC: u64 = 0x10_0000;
const FLAG_FAMILY_SPECIFIC: u64 = 0x20_0000;

/// The kind of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// PTX text, which the driver compiles.
    Ptx,
    /// An ELF file with machine code.
    Cubin,
    /// Code of another kind, with the kind's number in the container.
    Other(u16),
}

/// The compression of a payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compression {
    /// The payload is not compressed.
    Plain,
    /// A raw LZ4 block without a frame.
    Lz4,
    /// A zstd frame.
    Zstd,
}

/// One entry of a fat binary.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Kind of the code.
    pub kind: EntryKind,
    /// Compute capability of the target, for instance 75 for sm_75.
    pub sm: u32,
    /// Whether the target's name ends in "a", so that the code runs only on devices of capability
    /// `sm`.
    pub architecture_specific: bool,
    /// Whether the target's name ends in "f", so that the code runs only on devices of `sm`'s
    /// family.
    pub family_specific: bool,
    /// Compression of the payload.
    pub compression: Compression,
    /// The stored payload, without the padding after it.
    pub payload: &'a [u8],
    /// Size after decompression in bytes; the payload's own size if it is not compressed.
    pub uncompressed_bytes: usize,
    /// Header and payload with padding, as stored in the container.
    pub raw: &'a [u8],
}

impl Entry<'_> {
    /// Returns the target's name, such as `sm_90a` or `compute_75`.
    pub fn target(&self) -> String {
        let prefix = if self.kind == EntryKind::Ptx { "compute" } else { "sm" };
        let suffix = if self.architecture_specific {
            "a"
        } else if self.family_specific {
            "f"
        } else {
            ""
        };
        format!("{prefix}_{}{suffix}", self.sm)
    }

    /// Returns whether a device of capability `sm` can run the entry, perhaps after compilation.
    /// The capability 9.0 is 90.
    pub fn runs_on(&self, sm: u32) -> bool {
        match self.kind {
            EntryKind::Other(_) => true,
            _ if self.architecture_specific => self.sm == sm,
            EntryKind::Cubin => self.sm / 10 == sm / 10 && self.sm <= sm,
            EntryKind::Ptx if self.family_specific => self.sm / 10 == sm / 10 && self.sm <= sm,
            EntryKind::Ptx => self.sm <= sm,
        }
    }
}

/// Reason why bytes are not a valid image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImageError {
    /// The first bytes match no kind of image.
    Unrecognised,
    /// A header points beyond the end of the image.
    Truncated,
    /// The image is larger than `IMAGE_BYTES_MAX`.
    TooLarge,
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ImageError::Unrecognised => "the image is not a fat binary, an ELF cubin or PTX text",
            ImageError::Truncated => "the image's headers point beyond its end",
            ImageError::TooLarge => "the image is larger than the limit of 1 GiB",
        })
    }
}

impl std::error::Error for ImageError {}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, ImageError> {
    Ok(u16::from_le_bytes(
        bytes.get(at..at + 2).ok_or(ImageError::Truncated)?.try_into().expect("two bytes"),
    ))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, ImageError> {
    Ok(u32::from_le_bytes(
        bytes.get(at..at + 4).ok_or(ImageError::Truncated)?.try_into().expect("four bytes"),
    ))
}

fn u64_at(bytes: &[u8], at: usize) -> Result<u64, ImageError> {
    Ok(u64::from_le_bytes(
        bytes.get(at..at + 8).ok_or(ImageError::Truncated)?.try_into().expect("eight bytes"),
    ))
}

/// Returns the entries of one container. `container` includes the container's header.
pub fn entries(container: &[u8]) -> Result<Vec<Entry<'_>>, ImageError> {
    if u32_at(container, 0)? != CONTAINER_MAGIC {
        return Err(ImageError::Unrecognised);
    }
    let start = usize::from(u16_at(container, 6)?);
    let length = usize::try_from(u64_at(container, 8)?).map_err(|_| ImageError::TooLarge)?;
    let end = start.checked_add(length).ok_or(ImageError::TooLarge)?;
    let mut rest = container.get(start..end).ok_or(ImageError::Truncated)?;
    let mut found = Vec::new();
    while rest.len() >= ENTRY_HEADER_BYTES {
        let (entry, used) = entry(rest)?;
        found.push(entry);
        rest = &rest[used..];
    }
    Ok(found)
}

fn entry(bytes: &[u8]) -> Result<(Entry<'_>, usize), ImageError> {
    let header_bytes = u32_at(bytes, 4)? as usize;
    let stored = usize::try_from(u64_at(bytes, 8)?).map_err(|_| ImageError::TooLarge)?;
    let compressed = u32_at(bytes, 16)? as usize;
    let flags = u64_at(bytes, 40)?;
    let uncompressed = usize::try_from(u64_at(bytes, 56)?).map_err(|_| ImageError::TooLarge)?;
    let end = header_bytes.checked_add(stored).ok_or(ImageError::TooLarge)?;
    if header_bytes < ENTRY_HEADER_BYTES || end > bytes.len() || compressed > stored {
        return Err(ImageError::Truncated);
    }
    let compression = match flags {
        f if f & FLAG_LZ4 != 0 => Compression::Lz4,
        f if f & FLAG_ZSTD != 0 => Compression::Zstd,
        _ => Compression::Plain,
    };
    let payload_bytes =
        if compression == Compression::Plain || compressed == 0 { stored } else { compressed };
    let entry = Entry {
        kind: match u16_at(bytes, 0)? {
            1 => EntryKind::Ptx,
            2 => EntryKind::Cubin,
            other => EntryKind::Other(other),
        },
        sm: u32_at(bytes, 28)?,
        architecture_specific: flags & FLAG_ARCHITECTURE_SPECIFIC != 0,
        family_specific: flags & FLAG_FAMILY_SPECIFIC != 0,
        compression,
        payload: &bytes[header_bytes..header_bytes + payload_bytes],
        uncompressed_bytes: if compression == Compression::Plain { stored } else { uncompressed },
        raw: &bytes[..end],
    };
    Ok((entry, end))
}

/// Returns a container with only the entries that `keep` accepts.
pub fn cut(container: &[u8], keep: impl Fn(&Entry<'_>) -> bool) -> Result<Vec<u8>, ImageError> {
    let kept: Vec<_> = entries(container)?.into_iter().filter(|e| keep(e)).collect();
    let length: usize = kept.iter().map(|e| e.raw.len()).sum();
    let mut out = Vec::with_capacity(CONTAINER_HEADER_BYTES + length);
    out.extend_from_slice(&CONTAINER_MAGIC.to_le_bytes());
    out.extend_from_slice(&1u16.to_le_bytes());
    out.extend_from_slice(&(CONTAINER_HEADER_BYTES as u16).to_le_bytes());
    out.extend_from_slice(&(length as u64).to_le_bytes());
    for entry in kept {
        out.extend_from_slice(entry.raw);
    }
    Ok(out)
}

/// Joins containers into one image, which `Image::of` splits again.
pub fn join(containers: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    for container in containers {
        out.resize(out.len().next_multiple_of(CONTAINER_ALIGNMENT), 0);
        out.extend_from_slice(container);
    }
    out
}

/// Returns the containers of an image that `join` produced, or of an image with one container.
fn split(bytes: &[u8]) -> Result<Vec<&[u8]>, ImageError> {
    let (mut found, mut start) = (Vec::new(), 0);
    while bytes.get(start..start + 4).is_some_and(|magic| magic == CONTAINER_MAGIC.to_le_bytes()) {
        let rest = &bytes[start..];
        entries(rest)?;
        // The container fits into the bytes, because `entries` has checked its length.
        let length = usize::from(u16_at(rest, 6)?) + u64_at(rest, 8)? as usize;
        if length == 0 || found.len() == CONTAINERS_MAX {
            return Err(ImageError::TooLarge);
        }
        found.push(&rest[..length]);
        start += length.next_multiple_of(CONTAINER_ALIGNMENT);
    }
    Ok(found)
}

/// A code image.
pub enum Image<'a> {
    /// One container, or several if the program was compiled in parts. The first contains the
    /// linked code.
    Fatbin(Vec<&'a [u8]>),
    /// A whole ELF file with machine code.
    Cubin(&'a [u8]),
    /// PTX text without the terminating NUL.
    Ptx(&'a [u8]),
}

impl<'a> Image<'a> {
    /// Detects the kind of the image at `pointer`, and finds the image's end from its headers.
    ///
    /// # Safety
    ///
    /// `pointer` is null or points to a code image: a fat binary wrapper, a container, an ELF
    /// cubin, or PTX text that ends in NUL. The image stays valid for reads for `'a`.
    pub unsafe fn at(pointer: *const u8) -> Result<Image<'a>, ImageError> {
        if pointer.is_null() {
            return Err(ImageError::Unrecognised);
        }
        // SAFETY: the caller guarantees an image, and images of all kinds have at least four bytes.
        let first = unsafe { bytes_at(pointer, 4) };
        match first.try_into().map(u32::from_le_bytes) {
            // SAFETY: the caller guarantees that a wrapper follows this magic number.
            Ok(WRAPPER_MAGIC) => unsafe { Image::behind_wrapper(pointer) },
            // SAFETY: the caller guarantees that a container follows this magic number.
            Ok(CONTAINER_MAGIC) => Ok(Image::Fatbin(vec![unsafe { container_at(pointer) }?])),
            // SAFETY: the caller guarantees that an ELF file follows this magic number.
            _ if first == ELF_MAGIC => Ok(Image::Cubin(unsafe { elf_at(pointer) }?)),
            _ if first.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()) => {
                // SAFETY: the caller guarantees that the text ends in NUL.
                Ok(Image::Ptx(unsafe { CStr::from_ptr(pointer.cast()) }.to_bytes()))
            }
            _ => Err(ImageError::Unrecognised),
        }
    }

    /// Detects the kind of an image of known size, for instance one from the network. Reads nothing
    /// outside `bytes`.
    pub fn of(bytes: &'a [u8]) -> Result<Image<'a>, ImageError> {
        match bytes.get(..4).ok_or(ImageError::Unrecognised)? {
            magic if magic == CONTAINER_MAGIC.to_le_bytes() => Ok(Image::Fatbin(split(bytes)?)),
            magic if magic == ELF_MAGIC => Ok(Image::Cubin(elf_of(bytes)?)),
            start if start.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()) => {
                Ok(Image::Ptx(bytes.split(|b| *b == 0).next().unwrap_or_default()))
            }
            _ => Err(ImageError::Unrecognised),
        }
    }

    unsafe fn behind_wrapper(pointer: *const u8) -> Result<Image<'a>, ImageError> {
        // SAFETY: a wrapper has 24 bytes: magic number, version, data pointer and list of
        // containers.
        let wrapper = unsafe { bytes_at(pointer, 24) };
        let version = u32_at(wrapper, 4)?;
        let data = u64_at(wrapper, 8)? as *const u8;
        let list = u64_at(wrapper, 16)? as *const *const u8;
        // SAFETY: the wrapper's data pointer is null or points to a container.
        let mut containers = vec![unsafe { container_at(data) }?];
        if version == 2 && !list.is_null() {
            for i in 0..CONTAINERS_MAX {
                // SAFETY: the list ends in NULL, and the loop stops there.
                let container = unsafe { list.add(i).read() };
                if container.is_null() {
                    break;
                }
                // SAFETY: every entry of the list points to a container.
                containers.push(unsafe { container_at(container) }?);
            }
        }
        Ok(Image::Fatbin(containers))
    }
}

/// # Safety
///
/// `pointer` is valid for reads of `bytes` bytes for `'a`.
unsafe fn bytes_at<'a>(pointer: *const u8, bytes: usize) -> &'a [u8] {
    // SAFETY: the caller upholds this function's contract.
    unsafe { std::slice::from_raw_parts(pointer, bytes) }
}

/// # Safety
///
/// `pointer` is null or points to a container.
unsafe fn container_at<'a>(pointer: *const u8) -> Result<&'a [u8], ImageError> {
    if pointer.is_null() {
        return Err(ImageError::Unrecognised);
    }
    // SAFETY: the caller guarantees a container, which begins with a header of 16 bytes.
    let header = unsafe { bytes_at(pointer, CONTAINER_HEADER_BYTES) };
    if u32_at(header, 0)? != CONTAINER_MAGIC {
        return Err(ImageError::Unrecognised);
    }
    let bytes = u64::from(u16_at(header, 6)?).saturating_add(u64_at(header, 8)?);
    if bytes > IMAGE_BYTES_MAX as u64 {
        return Err(ImageError::TooLarge);
    }
    // SAFETY: the header contains the size of the container.
    Ok(unsafe { bytes_at(pointer, bytes as usize) })
}

/// Returns the size of an ELF64 file, which ends where the last of its header tables and sections
/// ends. `first` returns that many of the file's first bytes, or `None` if there are fewer.
fn elf_bytes<'a>(first: impl Fn(usize) -> Option<&'a [u8]>) -> Result<usize, ImageError> {
    const ELF_HEADER_BYTES: usize = 64;
    const SECTION_HEADER_BYTES: u64 = 64;
    const SECTION_WITHOUT_BYTES: u32 = 8;
    let header = first(ELF_HEADER_BYTES).ok_or(ImageError::Truncated)?;
    let (programs, sections) = (u64_at(header, 32)?, u64_at(header, 40)?);
    let program_bytes = u64::from(u16_at(header, 54)?) * u64::from(u16_at(header, 56)?);
    let section_count = u64::from(u16_at(header, 60)?);
    let tables_end = programs
        .saturating_add(program_bytes)
        .max(sections.saturating_add(section_count * SECTION_HEADER_BYTES));
    if tables_end > IMAGE_BYTES_MAX as u64 {
        return Err(ImageError::TooLarge);
    }
    let tables = first(tables_end as usize).ok_or(ImageError::Truncated)?;
    let mut end = tables_end.max(ELF_HEADER_BYTES as u64);
    for i in 0..section_count {
        let at = (sections + i * SECTION_HEADER_BYTES) as usize;
        if u32_at(tables, at + 4)? != SECTION_WITHOUT_BYTES {
            end = end.max(u64_at(tables, at + 24)?.saturating_add(u64_at(tables, at + 32)?));
        }
    }
    if end > IMAGE_BYTES_MAX as u64 { Err(ImageError::TooLarge) } else { Ok(end as usize) }
}

/// Returns the bytes of an ELF64 file.
///
/// # Safety
///
/// `pointer` points to an ELF64 file.
unsafe fn elf_at<'a>(pointer: *const u8) -> Result<&'a [u8], ImageError> {
    // SAFETY: the caller guarantees an ELF64 file, which contains its header, the tables that the
    // header names, and the sections that the tables name.
    unsafe { Ok(bytes_at(pointer, elf_bytes(|count| Some(bytes_at(pointer, count)))?)) }
}

/// Returns the ELF64 file at the start of `bytes`.
fn elf_of(bytes: &[u8]) -> Result<&[u8], ImageError> {
    bytes.get(..elf_bytes(|count| bytes.get(..count))?).ok_or(ImageError::Truncated)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container(entries: &[(u16, u32, u64, &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        for (kind, sm, flags, payload) in entries {
            let mut header = [0u8; ENTRY_HEADER_BYTES];
            header[0..2].copy_from_slice(&kind.to_le_bytes());
            header[4..8].copy_from_slice(&64u32.to_le_bytes());
            header[8..16].copy_from_slice(&(payload.len() as u64).to_le_bytes());
            header[28..32].copy_from_slice(&sm.to_le_bytes());
            header[40..48].copy_from_slice(&flags.to_le_bytes());
            body.extend_from_slice(&header);
            body.extend_from_slice(payload);
        }
        let mut out = Vec::new();
        out.extend_from_slice(&CONTAINER_MAGIC.to_le_bytes());
        out.extend_from_slice(&1u16.to_le_bytes());
        out.extend_from_slice(&16u16.to_le_bytes());
        out.extend_from_slice(&(body.len() as u64).to_le_bytes());
        out.extend(body);
        out
    }

    #[test]
    fn cutting_keeps_code_that_the_device_can_run() {
        let fat = container(&[
            (2, 75, 0x11, b"cubin75_"),
            (2, 90, 0x10_0011, b"cubin90a"),
            (1, 80, 0x11, b"ptx80___"),
            (1, 100, 0x11, b"ptx100__"),
        ]);
        let names =
            |bytes: &[u8]| entries(bytes).unwrap().iter().map(Entry::target).collect::<Vec<_>>();
        assert_eq!(names(&fat), ["sm_75", "sm_90a", "compute_80", "compute_100"]);
        let small = cut(&fat, |e| e.runs_on(90)).unwrap();
        assert_eq!(names(&small), ["sm_90a", "compute_80"]);
        assert!(cut(&fat, |e| e.runs_on(70)).unwrap().len() == CONTAINER_HEADER_BYTES);
    }

    #[test]
    fn containers_that_travel_together_are_found_again() {
        let parts = [
            container(&[(2, 75, 0x11, b"linked")]),
            container(&[(1, 75, 0x11, b"part_1_")]),
            container(&[(1, 75, 0x11, b"p2")]),
        ];
        let mut image = join(&parts);
        // Drivers get the image with a NUL after it, so `Image::of` must accept one.
        image.push(0);
        let Ok(Image::Fatbin(found)) = Image::of(&image) else { panic!("no fat binary") };
        assert!(
            found.iter().zip(&parts).all(|(found, part)| *found == &part[..])
                && found.len() == parts.len()
        );
        for length in 0..join(&parts).len() {
            if let Ok(Image::Fatbin(found)) = Image::of(&image[..length]) {
                assert!(found.len() < parts.len(), "{length}");
            }
        }
    }

    /// An ELF file with one section of bytes, one without, and its tables in the middle.
    fn elf() -> Vec<u8> {
        let mut file = vec![0; 64 + 2 * 64 + 24];
        file[..4].copy_from_slice(&ELF_MAGIC);
        file[40..48].copy_from_slice(&64u64.to_le_bytes());
        file[60..62].copy_from_slice(&2u16.to_le_bytes());
        let mut section = |at: usize, kind: u32, start: u64, bytes: u64| {
            file[at + 4..at + 8].copy_from_slice(&kind.to_le_bytes());
            file[at + 24..at + 32].copy_from_slice(&start.to_le_bytes());
            file[at + 32..at + 40].copy_from_slice(&bytes.to_le_bytes());
        };
        section(64, 1, 192, 24);
        section(128, 8, 192, 1 << 20);
        file
    }

    #[test]
    fn a_cubin_ends_with_its_last_section_and_none_is_truncated() {
        let mut file = elf();
        let bytes = file.len();
        for length in 4..bytes {
            assert!(matches!(Image::of(&file[..length]), Err(ImageError::Truncated)), "{length}");
        }
        file.extend([7; 5]);
        let Ok(Image::Cubin(of)) = Image::of(&file) else { panic!("no cubin") };
        // SAFETY: the file is a complete ELF file.
        let Ok(Image::Cubin(at)) = (unsafe { Image::at(file.as_ptr()) }) else { panic!("none") };
        assert_eq!((of.len(), at.len()), (bytes, bytes));
        for (at, value) in [(40, u64::MAX), (40, 1 << 20), (64 + 24, 1 << 20), (64 + 32, u64::MAX)]
        {
            let mut damaged = file.clone();
            damaged[at..at + 8].copy_from_slice(&value.to_le_bytes());
            assert!(Image::of(&damaged).is_err(), "{at} {value}");
        }
    }

    #[test]
    fn a_truncated_container_is_an_error_at_every_length() {
        let fat = container(&[(2, 75, 0x11, b"payload_"), (1, 75, 0x11, b"ptx_____")]);
        for length in 0..fat.len() {
            assert!(entries(&fat[..length]).is_err(), "{length}");
        }
    }
}
