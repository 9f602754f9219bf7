//! `CUDA_VISIBLE_DEVICES`, interpreted as NVIDIA's driver does.

/// Returns the devices that a program sees, in the order of `list`. CUDA ignores the list from the
/// first entry on that does not identify a device, or repeats one. An entry is an ordinal, or
/// `GPU-` and a prefix of exactly one UUID. For a slice the entry begins with `MIG-`.
pub fn visible_devices(list: Option<&str>, uuids: &[[u8; 16]]) -> Vec<usize> {
    let Some(list) = list else { return (0..uuids.len()).collect() };
    let mut visible = Vec::new();
    for entry in list.split(',').map(str::trim) {
        let named = match entry.strip_prefix("GPU-").or_else(|| entry.strip_prefix("MIG-")) {
            Some(prefix) => by_uuid(prefix, uuids),
            None => entry.parse().ok().filter(|ordinal| *ordinal < uuids.len()),
        };
        match named {
            Some(ordinal) if !visible.contains(&ordinal) => visible.push(ordinal),
            _ => break,
        }
    }
    visible
}

fn by_uuid(prefix: &str, uuids: &[[u8; 16]]) -> Option<usize> {
    let wanted: String =
        prefix.chars().filter(|c| *c != '-').collect::<String>().to_ascii_lowercase();
    let hex = |uuid: &[u8; 16]| uuid.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut matching = (0..uuids.len())
        .filter(|ordinal| !wanted.is_empty() && hex(&uuids[*ordinal]).starts_with(&wanted));
    matching.next().filter(|_| matching.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_ends_at_the_first_entry_that_names_no_device() {
        let uuids: Vec<[u8; 16]> =
            (0..3).map(|i| [0x6f, 0x75, 0x74, i, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).collect();
        let none: [usize; 0] = [];
        assert_eq!(visible_devices(None, &uuids), [0, 1, 2]);
        assert_eq!(visible_devices(Some("1,0,9,2"), &uuids), [1, 0]);
        assert_eq!(visible_devices(Some("1,1,2"), &uuids), [1]);
        for list in ["", "-1", "GPU-", "GPU-6f75", "x"] {
            assert_eq!(visible_devices(Some(list), &uuids), none, "{list}");
        }
        assert_eq!(
            visible_devices(Some("GPU-6f757401-0000-0000-0000-000000000000, 0"), &uuids),
            [1, 0]
        );
        assert_eq!(visible_devices(Some("GPU-6F7574 02"), &uuids), none);
        assert_eq!(visible_devices(Some("MIG-6F757402"), &uuids), [2]);
    }
}
