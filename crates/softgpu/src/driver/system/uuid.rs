//! The devices' identities.

/// Returns a device's UUID. The UUID is equal on every machine and in every process, because
/// programs and the node compare UUIDs.
pub fn uuid_of(physical: u32) -> [u8; 16] {
    let mut uuid = *b"outhaul-softgpu\0";
    uuid[15] = u8::try_from(physical).unwrap_or(u8::MAX);
    // Version 4, variant 1, so that tools that check the format accept the UUID.
    uuid[6] = (uuid[6] & 0x0f) | 0x40;
    uuid[8] = (uuid[8] & 0x3f) | 0x80;
    uuid
}
