//! A device's address on the PCI bus, in the text forms that programs use.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
/// An address on the PCI bus.
pub struct PciAddress {
    /// PCI domain.
    pub domain: u32,
    /// Bus number in the domain.
    pub bus: u32,
    /// Device number on the bus.
    pub device: u32,
}

impl PciAddress {
    /// Parses `domain:bus:device.function`, `domain:bus:device` or `bus:device.function`, in
    /// hexadecimal. Returns `None` for other texts, and for functions other than 0, which is the
    /// GPU.
    pub fn parse(text: &str) -> Option<PciAddress> {
        let (place, function) = text.split_once('.').unwrap_or((text, "0"));
        let number = |digits: &str| {
            let plain = digits.len() <= 8 && digits.bytes().all(|b| b.is_ascii_hexdigit());
            plain.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
        };
        if number(function)? != 0 {
            return None;
        }
        let parts = place.split(':').map(number).collect::<Option<Vec<_>>>()?;
        match parts[..] {
            [domain, bus, device] => Some(PciAddress { domain, bus, device }),
            [bus, device] => Some(PciAddress { domain: 0, bus, device }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_an_address_is_parsed() {
        let place = Some(PciAddress { domain: 0, bus: 0xA0, device: 3 });
        for text in ["00000000:A0:03.0", "0000:a0:03.0", "0000:A0:03", "A0:03.0"] {
            assert_eq!(PciAddress::parse(text), place, "{text}");
        }
        for text in
            ["", ":", "A0", "0000:A0:03.1", "0:0:A0:03.0", "0000:+1:03.0", "x", "123456789:00:00.0"]
        {
            assert_eq!(PciAddress::parse(text), None, "{text}");
        }
    }
}
