//! `CUDA_VISIBLE_DEVICES`, interpreted as NVIDIA's driver 580 does.

/// The list names a device twice, so `cuInit` fails with `INVALID_DEVICE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatedDevice;

/// Number of hexadecimal digits of a UUID.
const UUID_DIGITS: usize = 32;

/// Returns the devices that a program sees, in the order of `list`. CUDA ignores the list from the
/// first entry on that identifies no device. An entry is an ordinal, as C's `strtol` reads it, or
/// `GPU-` and a prefix of exactly one UUID. For a slice the entry begins with `MIG-`. CUDA also
/// ignores the list from the first entry on that is not of the first one's kind.
pub fn visible_devices(
    list: Option<&str>,
    uuids: &[[u8; 16]],
) -> Result<Vec<usize>, RepeatedDevice> {
    let Some(list) = list else { return Ok((0..uuids.len()).collect()) };
    let by_uuid = uuid_prefix(list).is_some();
    let mut visible = Vec::new();
    for entry in list.split(',') {
        let named = match uuid_prefix(entry) {
            Some(prefix) if by_uuid => device_of_uuid(prefix, uuids),
            None if !by_uuid => ordinal(entry).filter(|ordinal| *ordinal < uuids.len()),
            _ => None,
        };
        match named {
            Some(device) if visible.contains(&device) => return Err(RepeatedDevice),
            Some(device) => visible.push(device),
            None => break,
        }
    }
    Ok(visible)
}

fn uuid_prefix(entry: &str) -> Option<&str> {
    entry.strip_prefix("GPU-").or_else(|| entry.strip_prefix("MIG-"))
}

/// Reads an ordinal as C's `strtol` does: space, a sign, then digits. The rest is ignored. Like
/// CUDA, the function keeps the lower 32 bits. Returns `None` for a negative number, and if there
/// is no digit.
fn ordinal(entry: &str) -> Option<usize> {
    let entry = entry.trim_ascii_start();
    let (is_negative, digits) = match entry.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, entry.strip_prefix('+').unwrap_or(entry)),
    };
    let end = digits.bytes().position(|c| !c.is_ascii_digit()).unwrap_or(digits.len());
    if end == 0 {
        return None;
    }
    // Only overflow makes `parse` fail.
    let number = match (digits[..end].parse::<i64>(), is_negative) {
        (Ok(number), false) => number,
        (Ok(number), true) => -number,
        (Err(_), false) => i64::MAX,
        (Err(_), true) => i64::MIN,
    };
    usize::try_from(number as i32).ok()
}

/// Returns the device of the only UUID that begins with `prefix`, whose digits may be in either
/// case and without dashes. The rest after a whole UUID is ignored.
fn device_of_uuid(prefix: &str, uuids: &[[u8; 16]]) -> Option<usize> {
    let digits = prefix.trim_ascii_end().chars().filter(|c| *c != '-');
    let wanted: String = digits.take(UUID_DIGITS).collect::<String>().to_ascii_lowercase();
    let hex = |uuid: &[u8; 16]| uuid.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut matching = (0..uuids.len())
        .filter(|ordinal| !wanted.is_empty() && hex(&uuids[*ordinal]).starts_with(&wanted));
    matching.next().filter(|_| matching.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: [u8; 16] = *b"\x6fabc\x6fabc\x6fabc\x6fabc";
    const UUID: &str = "6f616263-6f61-6263-6f61-62636f616263";

    #[test]
    fn one_device_is_found_as_nvidias_driver_580_finds_it() {
        let none: &[usize] = &[];
        let seen = [
            "0",
            " 0",
            "0 ",
            "0,1",
            "0,1,0",
            "0gpu",
            "+0",
            "-0",
            "0,-1",
            "0x0",
            "0x1",
            "00",
            "0;0",
            "0.1",
            "4294967296",
            "-4294967296",
            "0,x,0",
            "0,1,0,0",
        ];
        for list in seen {
            assert_eq!(visible_devices(Some(list), &[ONE]).as_deref(), Ok(&[0][..]), "{list}");
        }
        let unseen = [
            "",
            "1",
            "1gpu2,2ampere",
            "-1",
            ",0",
            "x",
            "18446744073709551616",
            "NoDevFiles",
            "GPU-",
            "all",
            "+ 0",
            "--0",
            "GPU-zz",
            "GPU-6fzz",
        ];
        for list in unseen {
            assert_eq!(visible_devices(Some(list), &[ONE]).as_deref(), Ok(none), "{list}");
        }
        for list in ["0,0", "0, 0", "0,4294967296", "0gpu,-0"] {
            assert_eq!(visible_devices(Some(list), &[ONE]), Err(RepeatedDevice), "{list}");
        }
    }

    #[test]
    fn uuids_are_found_as_nvidias_driver_580_finds_them() {
        let see = |list: String| visible_devices(Some(&list), &[ONE]);
        let upper = UUID.to_ascii_uppercase();
        let short = &UUID[..8];
        let seen = [
            format!("GPU-{UUID}"),
            format!("GPU-{upper}"),
            format!("GPU-{short}"),
            "GPU-6".into(),
            format!("GPU-{}", &upper[..13]),
            format!("GPU-{}", UUID.replace('-', "")),
            format!("GPU-{UUID}0"),
            format!("GPU-{UUID}x"),
            format!("GPU-{UUID} "),
            format!("GPU-{UUID},0"),
            format!("GPU-{UUID},x"),
            format!("0,GPU-{UUID}"),
            format!("MIG-{UUID}"),
        ];
        for list in seen {
            assert_eq!(see(list.clone()), Ok(vec![0]), "{list}");
        }
        for list in [format!("gpu-{UUID}"), format!(" GPU-{UUID}"), UUID.into()] {
            assert_eq!(see(list.clone()), Ok(vec![]), "{list}");
        }
        for other in [UUID, &upper, short] {
            assert_eq!(see(format!("GPU-{UUID},GPU-{other}")), Err(RepeatedDevice), "{other}");
        }
    }

    #[test]
    fn several_devices_come_in_the_lists_order() {
        let uuids: Vec<[u8; 16]> =
            (0..3).map(|i| [0x6f, 0x75, 0x74, i, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).collect();
        let see = |list: &str| visible_devices(Some(list), &uuids);
        assert_eq!(visible_devices(None, &uuids), Ok(vec![0, 1, 2]));
        assert_eq!(see("1,0,9,2"), Ok(vec![1, 0]));
        assert_eq!(see("1gpu2,2ampere"), Ok(vec![1, 2]));
        assert_eq!(see("1,1,2"), Err(RepeatedDevice));
        assert_eq!(see("0,1,0"), Err(RepeatedDevice));
        assert_eq!(see("GPU-6f75"), Ok(vec![]), "three begin so");
        assert_eq!(see("GPU-6F757402,GPU-6f757400"), Ok(vec![2, 0]));
    }
}
