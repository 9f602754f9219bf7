//! Implements `cuLink*`: collects PTX and returns an image that loads as one module.
//!
//! Deliberately absent: objects, libraries and cubins as inputs, because they are machine code.

use outhaul_abi::types::values::{JIT_INPUT_FATBINARY, JIT_INPUT_PTX};

use crate::driver::code::image;
use crate::driver::lock;
use crate::driver::objects::code::link::JitLink;
use crate::driver::state::Driver;
use crate::driver::system::error::{Error, Result};

impl JitLink {
    /// Adds an input of the kind `kind`, a `CUjitInputType`.
    pub fn add(&self, driver: &Driver, kind: i32, bytes: &[u8]) -> Result<()> {
        let texts = match kind {
            JIT_INPUT_PTX => {
                let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
                vec![
                    String::from_utf8(text.to_vec())
                        .map_err(|_| Error::InvalidPtx("not text".into()))?,
                ]
            }
            JIT_INPUT_FATBINARY => driver.image_texts_of(bytes)?,
            _ => {
                let reason = format!("an input of kind {kind} to the linker, which takes PTX only");
                driver.refuse(&reason);
                return Err(Error::NoBinary(reason));
            }
        };
        lock(&self.texts).extend(texts);
        Ok(())
    }

    /// Links the inputs and returns the image.
    pub fn complete(&self, driver: &Driver) -> Result<&[u8]> {
        if let Some(image) = self.image.get() {
            return Ok(image);
        }
        let texts = lock(&self.texts).clone();
        if texts.is_empty() {
            return Err(Error::InvalidValue);
        }
        let parsed = driver.parse(&texts);
        self.logs.write(&parsed);
        let (sm, _) = parsed?.target();
        Ok(self.image.get_or_init(|| image::container_of(&texts, sm)))
    }
}
