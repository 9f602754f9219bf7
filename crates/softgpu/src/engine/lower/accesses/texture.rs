//! Textures and surfaces. The code stores the operands in a request on the stack, and engine
//! functions do the rest.

use std::mem::offset_of;

use cranelift_codegen::ir::{InstBuilder, StackSlotData, StackSlotKind, Value, types};

use crate::engine::exec::memory::surface;
use crate::engine::exec::memory::surface::Outside;
use crate::engine::exec::memory::texture;
use crate::engine::exec::memory::texture::{Geometry, Levels, Query, Request};
use crate::engine::lower::function::{Lower, plain};
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::Operand;
use crate::engine::syntax::types::Ty;

impl<'a> Lower<'a, '_> {
    /// Lowers `tex` and `tld4`.
    pub fn texture(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let Some(geometry) = op.modifiers().find_map(Geometry::parse) else {
            return self.unsupported(op.text);
        };
        let types: Vec<Ty> = op.types().collect();
        // A channel's type does not change its bits, so the check covers only the results' width.
        let [.., result, coordinate] = types[..] else { return self.unsupported(op.text) };
        if result.bits != 32 || coordinate.bits != 32 || !op.has("v4") {
            return self.unsupported(op.text);
        }
        let (levels, channel) = match (op.base, op.one_of(&["level", "grad"])) {
            ("tld4", None) if geometry == Geometry::Plane || geometry == Geometry::Planes => {
                (Levels::Gather, gathered_channel(op))
            }
            ("tex", Some("level")) => (Levels::Given, 0),
            ("tex", Some(_)) => (Levels::Gradients, 0),
            ("tex", None) => (Levels::Implied, 0),
            _ => return self.unsupported(op.text),
        };
        let (object, request) = self.request(op, &operands[1], geometry)?;
        match (levels, &operands[2..]) {
            (Levels::Implied | Levels::Gather, []) => {}
            (Levels::Given, [level]) => {
                self.put_floats(request, offset_of!(Request, dx), std::slice::from_ref(level))?
            }
            (Levels::Gradients, [Operand::Vector(dx), Operand::Vector(dy)]) => {
                self.put_floats(request, offset_of!(Request, dx), dx)?;
                self.put_floats(request, offset_of!(Request, dy), dy)?;
            }
            // Offsets or a depth comparison.
            _ => return self.unsupported(format!("{} with these operands", op.text)),
        }
        let what = self.int(
            32,
            u64::from(texture::packed(geometry, levels, !coordinate.native_float(), channel)),
        );
        let address = texture::sample as *const () as usize;
        self.helper(address, &[self.block, self.thread, object, what, request], None);
        self.take_results(op, &operands[0], request, result)
    }

    /// Lowers `suld` and `sust`.
    pub fn surface(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let (Some(geometry), Some(ty)) = (op.modifiers().find_map(Geometry::parse), op.last_type())
        else {
            return self.unsupported(op.text);
        };
        let outside = match op.one_of(&["trap", "clamp", "zero"]) {
            Some("clamp") => Outside::Clamp,
            Some("zero") => Outside::Zero,
            _ => Outside::Trap,
        };
        let bytes = ty.bytes() * op.lanes() as u32;
        // Formatted accesses convert the value. Only unconverted accesses are supported.
        if !op.has("b") || bytes > 16 || matches!(geometry, Geometry::Cube | Geometry::Cubes) {
            return self.unsupported(op.text);
        }
        let is_store = op.base == "sust";
        let (data, place) =
            if is_store { (&operands[1], &operands[0]) } else { (&operands[0], &operands[1]) };
        let (object, request) = self.request(op, place, geometry)?;
        if is_store {
            let elements = self.vector(op, data)?;
            for (index, element) in elements.iter().enumerate() {
                let value = self.read(element, ty)?;
                let offset = offset_of!(Request, result) as i32 + index as i32 * ty.bytes() as i32;
                self.b.ins().store(plain(), value, request, offset);
            }
        }
        let what = self.int(32, u64::from(surface::packed(geometry, outside, bytes, is_store)));
        let address = surface::access as *const () as usize;
        self.helper(address, &[self.block, self.thread, object, what, request], None);
        if is_store { Ok(()) } else { self.take_results(op, data, request, ty) }
    }

    /// Lowers `txq` and `suq`.
    pub fn query_image(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let words = ["width", "height", "depth", "num_mipmap_levels", "normalized_coords"];
        let what = match op.one_of(&words) {
            Some("width") => Query::Width,
            Some("height") => Query::Height,
            Some("depth") => Query::Depth,
            Some("num_mipmap_levels") if op.base == "txq" => Query::Levels,
            Some("normalized_coords") if op.base == "txq" => Query::NormalizedCoordinates,
            _ => return self.unsupported(op.text),
        };
        let (Operand::Address(object, 0), 2) = (&operands[1], operands.len()) else {
            return self.unsupported(op.text);
        };
        let object = self.object(op, object)?;
        let what = self.int(32, what as u64);
        let address = if op.base == "txq" {
            texture::query as *const ()
        } else {
            surface::query as *const ()
        };
        let value =
            self.compute(address as usize, &[self.block, self.thread, object, what], types::I32);
        self.write(&operands[0], Ty::B32, value)
    }

    /// Returns the object's number. An operand that is a name is a texture reference, which only
    /// old toolkits use.
    fn object(&mut self, op: Opcode<'_>, operand: &Operand) -> Lowered<Value> {
        match operand {
            Operand::Reg(_) => self.read(operand, Ty::U64),
            _ => self.unsupported(format!("{} of a texture or surface reference", op.text)),
        }
    }

    /// Returns the object's number and the address of a request with the coordinates.
    fn request(
        &mut self,
        op: Opcode<'_>,
        place: &Operand,
        geometry: Geometry,
    ) -> Lowered<(Value, Value)> {
        let Operand::Tuple(parts) = place else {
            return self.unsupported(format!("{} of this form", op.text));
        };
        let [object, Operand::Vector(coordinates)] = &parts[..] else {
            return self.unsupported(format!("{} of this form", op.text));
        };
        let object = self.object(op, object)?;
        let used = geometry.coordinates() + usize::from(geometry.is_layered());
        if coordinates.len() < used {
            return self.malformed(format!("{} with {} coordinates", op.text, coordinates.len()));
        }
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, size_of::<Request>() as u32, 4);
        let slot = self.b.create_sized_stack_slot(slot);
        let request = self.b.ins().stack_addr(types::I64, slot, 0);
        for (index, coordinate) in coordinates.iter().take(used).enumerate() {
            let bits = self.read(coordinate, self.bits_of(coordinate))?;
            self.b.ins().store(
                plain(),
                bits,
                request,
                offset_of!(Request, at) as i32 + index as i32 * 4,
            );
        }
        Ok((object, request))
    }

    /// Returns the type in which to read a coordinate. The type changes the bits only if the
    /// coordinate is a literal.
    fn bits_of(&self, coordinate: &Operand) -> Ty {
        if matches!(coordinate, Operand::F32(_) | Operand::F64(_)) { Ty::F32 } else { Ty::B32 }
    }

    fn put_floats(&mut self, request: Value, offset: usize, operands: &[Operand]) -> Lowered<()> {
        for (index, operand) in operands.iter().take(4).enumerate() {
            let value = self.read(operand, Ty::F32)?;
            self.b.ins().store(plain(), value, request, offset as i32 + index as i32 * 4);
        }
        Ok(())
    }

    /// Returns the operands of a vector, or the operand itself if it is not a vector.
    fn vector<'o>(&self, op: Opcode<'_>, operand: &'o Operand) -> Lowered<&'o [Operand]> {
        let elements = if let Operand::Vector(all) = operand {
            all.as_slice()
        } else {
            std::slice::from_ref(operand)
        };
        if elements.len() == op.lanes() {
            Ok(elements)
        } else {
            self.malformed(format!("{} with {} elements", op.text, elements.len()))
        }
    }

    fn take_results(
        &mut self,
        op: Opcode<'_>,
        to: &Operand,
        request: Value,
        ty: Ty,
    ) -> Lowered<()> {
        for (index, element) in self.vector(op, to)?.iter().enumerate() {
            let offset = offset_of!(Request, result) as i32 + index as i32 * ty.bytes() as i32;
            let value = self.b.ins().load(ty.clif(), plain(), request, offset);
            self.write(element, ty, value)?;
        }
        Ok(())
    }
}

fn gathered_channel(op: Opcode<'_>) -> u32 {
    match op.one_of(&["r", "g", "b", "a"]) {
        Some("g") => 1,
        Some("b") => 2,
        Some("a") => 3,
        _ => 0,
    }
}
