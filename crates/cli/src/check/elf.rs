//! Reads how the program in an ELF file finds its libraries. An attacker may have written the file,
//! so any inconsistency means "not an ELF file".

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

const MAGIC: [u8; 4] = *b"\x7fELF";
const CLASS_64: u8 = 2;
const LITTLE_ENDIAN: u8 = 1;
const HEADER_BYTES: usize = 64;
const PROGRAM_HEADER_BYTES: usize = 56;
const DYNAMIC_ENTRY_BYTES: usize = 16;
const DYNAMIC_BYTES_MAX: usize = 64 << 10;
/// Maximum bytes of a path, or of a list of paths.
const TEXT_BYTES_MAX: usize = 16 << 10;
const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_INTERP: u32 = 3;
const DT_NULL: u64 = 0;
const DT_NEEDED: u64 = 1;
const DT_STRTAB: u64 = 5;
const DT_SONAME: u64 = 14;
const DT_RPATH: u64 = 15;
const DT_RUNPATH: u64 = 29;

/// The e_machine value of programs that can load this build's libraries.
const OWN_MACHINE: u16 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };

/// The parts of an ELF file by which its program finds libraries.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Elf {
    pub is_64_bit: bool,
    /// Whether the program is for this CPU architecture.
    pub is_native: bool,
    /// Path of the loader that the program names.
    pub interpreter: Option<String>,
    /// The file's name for itself, which shared libraries and the loader have.
    pub soname: Option<String>,
    /// Folders that the loader searches before the library path.
    pub rpath: Option<String>,
    pub needed: Vec<String>,
}

struct Segment {
    kind: u32,
    offset: u64,
    address: u64,
    bytes: u64,
}

/// Reads at most the given number of bytes from an offset. Returns none beyond the end.
type Source<'a> = &'a dyn Fn(u64, usize) -> Option<Vec<u8>>;

impl Elf {
    /// Reads a file. Returns none if the file is broken or not an ELF file.
    pub fn read(path: &Path) -> Option<Elf> {
        let file = File::open(path).ok()?;
        Elf::of(&|offset, bytes_max| {
            let mut bytes = vec![0; bytes_max];
            let read = file.read_at(&mut bytes, offset).ok()?;
            bytes.truncate(read);
            Some(bytes)
        })
    }

    fn of(file: Source<'_>) -> Option<Elf> {
        let head = file(0, HEADER_BYTES)?;
        if head.get(..4)? != MAGIC {
            return None;
        }
        let mut elf = Elf { is_64_bit: *head.get(4)? == CLASS_64, ..Elf::default() };
        let little = *head.get(5)? == LITTLE_ENDIAN;
        elf.is_native = elf.is_64_bit && little && half(&head, 18)? == OWN_MACHINE;
        if elf.is_native {
            elf.read_segments(file, &head)?;
        }
        Some(elf)
    }

    fn read_segments(&mut self, file: Source<'_>, head: &[u8]) -> Option<()> {
        let table = file(long(head, 32)?, usize::from(half(head, 56)?) * PROGRAM_HEADER_BYTES)?;
        let segments = table
            .chunks_exact(PROGRAM_HEADER_BYTES)
            .map(Segment::of)
            .collect::<Option<Vec<_>>>()?;
        for segment in &segments {
            match segment.kind {
                PT_INTERP => self.interpreter = text(&file(segment.offset, TEXT_BYTES_MAX)?),
                PT_DYNAMIC => self.read_dynamic(file, segment, &segments)?,
                _ => {}
            }
        }
        Some(())
    }

    fn read_dynamic(
        &mut self,
        file: Source<'_>,
        dynamic: &Segment,
        segments: &[Segment],
    ) -> Option<()> {
        let table =
            file(dynamic.offset, usize::try_from(dynamic.bytes).ok()?.min(DYNAMIC_BYTES_MAX))?;
        let entries: Vec<(u64, u64)> = table
            .chunks_exact(DYNAMIC_ENTRY_BYTES)
            .map_while(|entry| Some((long(entry, 0)?, long(entry, 8)?)))
            .take_while(|(tag, _)| *tag != DT_NULL)
            .collect();
        let Some((_, strings)) = entries.iter().find(|(tag, _)| *tag == DT_STRTAB) else {
            return Some(());
        };
        let is_home = |s: &&Segment| {
            s.kind == PT_LOAD && (s.address..s.address.saturating_add(s.bytes)).contains(strings)
        };
        let home = segments.iter().find(is_home)?;
        let strings = home.offset.checked_add(strings - home.address)?;
        let string = |offset: u64| text(&file(strings.checked_add(offset)?, TEXT_BYTES_MAX)?);
        let one = |wanted: u64| {
            entries.iter().find(|(tag, _)| *tag == wanted).and_then(|(_, offset)| string(*offset))
        };
        self.soname = one(DT_SONAME);
        // RUNPATH comes after the library path and makes the loader ignore RPATH.
        self.rpath =
            if entries.iter().any(|(tag, _)| *tag == DT_RUNPATH) { None } else { one(DT_RPATH) };
        self.needed = entries
            .iter()
            .filter(|(tag, _)| *tag == DT_NEEDED)
            .filter_map(|(_, offset)| string(*offset))
            .collect();
        Some(())
    }
}

impl Segment {
    fn of(header: &[u8]) -> Option<Segment> {
        let kind = u32::from_le_bytes(header.get(..4)?.try_into().ok()?);
        Some(Segment {
            kind,
            offset: long(header, 8)?,
            address: long(header, 16)?,
            bytes: long(header, 32)?,
        })
    }
}

fn half(bytes: &[u8], offset: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(offset..)?.get(..2)?.try_into().ok()?))
}

fn long(bytes: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(offset..)?.get(..8)?.try_into().ok()?))
}

/// Returns the text before the first NUL.
fn text(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    String::from_utf8(bytes[..end].to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_programs_own_file_is_read() {
        let elf = Elf::read(&std::env::current_exe().unwrap()).unwrap();
        assert!(elf.is_64_bit && elf.is_native && elf.rpath.is_none(), "{elf:?}");
        assert!(elf.interpreter.as_deref().unwrap().contains("ld-linux"), "{elf:?}");
        assert!(elf.needed.iter().any(|name| name == "libc.so.6"), "{elf:?}");
    }

    #[test]
    fn truncated_and_corrupt_elf_files_are_refused_without_a_panic() {
        let of = |file: &[u8]| {
            Elf::of(&|offset, bytes_max| {
                let rest = file.get(usize::try_from(offset).ok()?..)?;
                Some(rest[..rest.len().min(bytes_max)].to_vec())
            })
        };
        let mut file = std::fs::read("/bin/true").unwrap();
        assert!(of(&file).is_some());
        assert_eq!(of(b"#!/bin/sh\n"), None);
        for end in 0..2048 {
            let _ = of(&file[..end]);
        }
        for place in 4..2048 {
            let kept = std::mem::replace(&mut file[place], 0xff);
            let _ = of(&file);
            file[place] = kept;
        }
    }
}
