//! Texture sampling: addressing, filtering and mipmap levels, as the CUDA programming guide
//! describes them. A texture object's number is the address of a [`Texture`], whereas a GPU uses
//! the address of a descriptor. Anisotropic filtering and seamless cube maps are deliberately
//! absent.

use super::image::Image;
use crate::engine::Fault;
use crate::engine::exec::blocks::block::{Block, Thread, fail};

/// Addressing mode for one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// Repeats the image.
    Wrap,
    /// Repeats the outermost elements.
    Clamp,
    /// Repeats the image, mirrored every other time.
    Mirror,
    /// Returns the border colour outside the image.
    Border,
}

/// The way in which a texture is sampled.
#[derive(Debug, Clone)]
pub struct Sampler {
    /// Addressing mode for each dimension.
    pub address: [Address; 3],
    /// Whether filtering between elements is linear.
    pub linear: bool,
    /// Whether coordinates from 0 to 1 span the whole extent.
    pub normalized_coordinates: bool,
    /// Whether integers of up to 16 bits are read as fractions of their range.
    pub normalized_read: bool,
    /// Whether the image's colours are in sRGB.
    pub srgb: bool,
    /// Colour outside the image.
    pub border: [f32; 4],
    /// Whether filtering between levels is linear.
    pub linear_levels: bool,
    /// Number added to each level.
    pub level_bias: f32,
    /// Lowest and highest level.
    pub level_range: [f32; 2],
}

/// A texture.
pub struct Texture {
    /// Tag that distinguishes a texture from an arbitrary number that the program passes.
    tag: u64,
    /// The image, or all levels of a mipmapped image.
    pub levels: Vec<Image>,
    /// Whether the texture is linear memory, which is read only by index.
    pub is_linear_memory: bool,
    /// The way in which the texture is sampled.
    pub sampler: Sampler,
}

const TAG: u64 = u64::from_le_bytes(*b"texture ");
/// Number of positions between two elements that filtering distinguishes: fractions have 8 bits.
const FRACTION: f64 = 256.0;
const CUBE_FACES: u32 = 6;

/// The geometry that an instruction assumes. Compiled code passes the discriminant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Geometry {
    Line,
    Plane,
    Volume,
    Lines,
    Planes,
    Cube,
    Cubes,
}

impl Geometry {
    /// Returns the geometry with this PTX name.
    pub fn parse(modifier: &str) -> Option<Geometry> {
        Some(match modifier {
            "1d" => Geometry::Line,
            "2d" => Geometry::Plane,
            "3d" => Geometry::Volume,
            "a1d" => Geometry::Lines,
            "a2d" => Geometry::Planes,
            "cube" => Geometry::Cube,
            "acube" => Geometry::Cubes,
            _ => return None,
        })
    }

    fn from_number(number: u32) -> Geometry {
        use Geometry::*;
        [Line, Plane, Volume, Lines, Planes, Cube, Cubes][number as usize % 7]
    }

    /// Returns whether the geometry has layers.
    pub fn is_layered(self) -> bool {
        matches!(self, Geometry::Lines | Geometry::Planes | Geometry::Cubes)
    }

    /// Returns the number of coordinates apart from the layer.
    pub fn coordinates(self) -> usize {
        match self {
            Geometry::Line | Geometry::Lines => 1,
            Geometry::Plane | Geometry::Planes => 2,
            _ => 3,
        }
    }
}

/// The way in which an instruction selects the level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Levels {
    /// The first level within the sampler's range. Only a fragment shader could imply another
    /// level.
    Implied,
    Given,
    Gradients,
    /// No filtering: the instruction reads one channel of the four elements that filtering would
    /// use.
    Gather,
}

/// Arguments that compiled code passes in addition to the texture, and the result.
#[repr(C)]
pub struct Request {
    /// Coordinates, after the layer if the texture has layers. Floats are passed as their bits.
    pub at: [u32; 4],
    /// Change of the coordinates from one pixel to the next in x, or the level itself if the
    /// instruction gives the level.
    pub dx: [f32; 4],
    /// Change of the coordinates from one pixel to the next in y.
    pub dy: [f32; 4],
    /// The four channels that the access returns or writes.
    pub result: [u32; 4],
}

/// Packs an instruction into one number, for compiled code.
pub fn packed(geometry: Geometry, levels: Levels, integer_coordinates: bool, channel: u32) -> u32 {
    geometry as u32 | (levels as u32) << 8 | u32::from(integer_coordinates) << 16 | channel << 24
}

impl Texture {
    /// Returns a texture with these levels.
    pub fn new(levels: Vec<Image>, is_linear_memory: bool, sampler: Sampler) -> Texture {
        Texture { tag: TAG, levels, is_linear_memory, sampler }
    }

    /// Returns the texture object with the number `object`, or `None` if no texture has that
    /// number.
    ///
    /// # Safety
    /// The access may fault if `object` is not a texture's number, as on a GPU.
    unsafe fn find<'a>(object: u64) -> Option<&'a Texture> {
        let texture: *const Texture = std::ptr::with_exposed_provenance(object as usize);
        if texture.is_null() || !texture.is_aligned() {
            return None;
        }
        // SAFETY: the caller upholds this function's contract. A texture lives until no launched
        // work can use it.
        unsafe { ((&raw const (*texture).tag).read() == TAG).then(|| &*texture) }
    }

    unsafe fn sample(&self, request: &Request, what: u32) -> [u32; 4] {
        let (geometry, levels) = (Geometry::from_number(what & 0xFF), what >> 8 & 0xFF);
        let integers = what >> 16 & 1 != 0;
        let base = &self.levels[0];
        if self.is_linear_memory {
            let index = if integers {
                i64::from(request.at[0] as i32)
            } else {
                f32::from_bits(request.at[0]).floor() as i64
            };
            let inside = index >= 0 && index < i64::from(base.extent[0]);
            return if inside {
                // SAFETY: the caller upholds this function's contract, and the index is inside the
                // image.
                unsafe { self.element(base, [index as u32, 0, 0]) }
            } else {
                [0; 4]
            };
        }
        let mut at = Position::new(geometry, request, integers, base);
        // SAFETY: the caller upholds this function's contract.
        unsafe {
            if levels == Levels::Gather as u32 {
                return self.gather(base, &mut at, what >> 24);
            }
            let last = (self.levels.len() - 1) as f32;
            let wanted = match levels {
                n if n == Levels::Given as u32 => request.dx[0],
                n if n == Levels::Gradients as u32 => {
                    gradient_level(base, at.dimensions, &request.dx, &request.dy)
                }
                _ => 0.0,
            };
            let [lowest, highest] = self.sampler.level_range;
            let level =
                (wanted + self.sampler.level_bias).max(lowest).min(highest).max(0.0).min(last);
            if !self.sampler.linear_levels {
                return self.filtered(&self.levels[(level + 0.5) as usize], &at);
            }
            let (below, share) =
                ((level as usize), ((level.fract() * FRACTION as f32).round() / FRACTION as f32));
            let near = self.filtered(&self.levels[below], &at);
            if share == 0.0 {
                return near;
            }
            let far = self.filtered(&self.levels[below + 1], &at);
            std::array::from_fn(|i| {
                let (near, far) = (f32::from_bits(near[i]), f32::from_bits(far[i]));
                (near * (1.0 - share) + far * share).to_bits()
            })
        }
    }

    /// Returns an element's four channels in the form that the instruction returns.
    unsafe fn element(&self, image: &Image, at: [u32; 3]) -> [u32; 4] {
        std::array::from_fn(|channel| {
            let channel = channel as u32;
            // SAFETY: the caller upholds this function's contract.
            unsafe {
                if !(self.sampler.normalized_read && image.channel.can_normalize()) {
                    return image.read(at, channel);
                }
                let value = image.read_normalized(at, channel);
                if self.sampler.srgb && channel < 3 { linear_from_srgb(value) } else { value }
                    .to_bits()
            }
        })
    }

    /// Returns the element at `index`, after the addressing mode is applied.
    unsafe fn addressed(&self, image: &Image, at: &Position, index: [i64; 3]) -> [u32; 4] {
        let mut inside = [0; 3];
        for d in 0..at.dimensions {
            let mode = self.mode(d);
            match addressed(mode, index[d], image.extent[d]) {
                Some(n) => inside[d] = n,
                None => return self.sampler.border.map(f32::to_bits),
            }
        }
        if at.dimensions < 3 {
            inside[2] = at.layer.min(image.extent[2] - 1);
        }
        // SAFETY: the caller upholds this function's contract, and addressing has moved the index
        // inside.
        unsafe { self.element(image, inside) }
    }

    /// Returns the addressing mode. Wrapping and mirroring apply only to normalized coordinates.
    fn mode(&self, dimension: usize) -> Address {
        match self.sampler.address[dimension] {
            Address::Wrap | Address::Mirror if !self.sampler.normalized_coordinates => {
                Address::Clamp
            }
            mode => mode,
        }
    }

    /// Returns a coordinate, scaled to elements of the image.
    fn scaled(&self, at: &Position, image: &Image, dimension: usize) -> f64 {
        let coordinate = at.coordinates[dimension];
        let normalized = (self.sampler.normalized_coordinates && !at.integers) || at.is_cube;
        if normalized { coordinate * f64::from(image.extent[dimension]) } else { coordinate }
    }

    unsafe fn filtered(&self, image: &Image, at: &Position) -> [u32; 4] {
        let scaled: [f64; 3] =
            std::array::from_fn(
                |d| if d < at.dimensions { self.scaled(at, image, d) } else { 0.0 },
            );
        if !self.sampler.linear || at.integers {
            // SAFETY: the caller upholds this function's contract.
            return unsafe { self.addressed(image, at, scaled.map(|c| c.floor() as i64)) };
        }
        let fixed = scaled.map(|c| ((c - 0.5) * FRACTION).round() as i64);
        let mut sum = [0f32; 4];
        for corner in 0..1usize << at.dimensions {
            let (mut index, mut weight) = ([0; 3], 1f32);
            for d in 0..at.dimensions {
                let (low, part) = (fixed[d] >> 8, (fixed[d] & 0xFF) as f32 / FRACTION as f32);
                let high = corner >> d & 1;
                index[d] = low + high as i64;
                weight *= if high == 1 { part } else { 1.0 - part };
            }
            if weight != 0.0 {
                // SAFETY: the caller upholds this function's contract.
                let element = unsafe { self.addressed(image, at, index) };
                sum.iter_mut()
                    .zip(element)
                    .for_each(|(sum, bits)| *sum += weight * f32::from_bits(bits));
            }
        }
        sum.map(f32::to_bits)
    }

    /// Returns one channel of the four elements around a point, counter-clockwise from the lower
    /// left, if y points down.
    unsafe fn gather(&self, image: &Image, at: &mut Position, channel: u32) -> [u32; 4] {
        let low: [i64; 2] = std::array::from_fn(|d| {
            ((self.scaled(at, image, d) - 0.5) * FRACTION).round() as i64 >> 8
        });
        [(0, 1), (1, 1), (1, 0), (0, 0)].map(|(x, y)| {
            // SAFETY: the caller upholds this function's contract.
            unsafe { self.addressed(image, at, [low[0] + x, low[1] + y, 0])[channel as usize & 3] }
        })
    }
}

/// The point in an image that a request reads.
struct Position {
    coordinates: [f64; 3],
    dimensions: usize,
    layer: u32,
    integers: bool,
    is_cube: bool,
}

impl Position {
    fn new(geometry: Geometry, request: &Request, integers: bool, image: &Image) -> Position {
        let first = usize::from(geometry.is_layered());
        let layer = if first == 1 { request.at[0] } else { 0 };
        let dimensions = geometry.coordinates();
        let coordinates = std::array::from_fn(|d| match request.at.get(first + d) {
            Some(bits) if d < dimensions && integers => f64::from(*bits as i32),
            Some(bits) if d < dimensions => f64::from(f32::from_bits(*bits)),
            _ => 0.0,
        });
        if !matches!(geometry, Geometry::Cube | Geometry::Cubes) {
            return Position { coordinates, dimensions, layer, integers, is_cube: false };
        }
        let (face, s, t) = cube_face(coordinates);
        let cubes = (image.extent[2] / CUBE_FACES).max(1);
        let layer = layer.min(cubes - 1) * CUBE_FACES + face;
        Position { coordinates: [s, t, 0.0], dimensions: 2, layer, integers: false, is_cube: true }
    }
}

/// Returns the cube face that a direction hits (+x, -x, +y, -y, +z, -z), and the point on that
/// face.
fn cube_face([x, y, z]: [f64; 3]) -> (u32, f64, f64) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, m, s, t) = if ax >= ay && ax >= az {
        if x >= 0.0 { (0, ax, -z, -y) } else { (1, ax, z, -y) }
    } else if ay >= az {
        if y >= 0.0 { (2, ay, x, z) } else { (3, ay, x, -z) }
    } else if z >= 0.0 {
        (4, az, x, -y)
    } else {
        (5, az, -x, -y)
    };
    (face, (s / m + 1.0) / 2.0, (t / m + 1.0) / 2.0)
}

/// Returns an index after addressing, or `None` for the border colour.
fn addressed(mode: Address, index: i64, extent: u32) -> Option<u32> {
    let count = i64::from(extent);
    let found = match mode {
        Address::Clamp => index.clamp(0, count - 1),
        Address::Wrap => index.rem_euclid(count),
        Address::Mirror => {
            let place = index.rem_euclid(2 * count);
            place.min(2 * count - 1 - place)
        }
        Address::Border if (0..count).contains(&index) => index,
        Address::Border => return None,
    };
    Some(found as u32)
}

/// Returns the level at which the longer of two steps has the length of one element.
fn gradient_level(image: &Image, dimensions: usize, dx: &[f32; 4], dy: &[f32; 4]) -> f32 {
    let length = |step: &[f32; 4]| {
        (0..dimensions).map(|d| (step[d] * image.extent[d] as f32).powi(2)).sum::<f32>().sqrt()
    };
    length(dx).max(length(dy)).log2()
}

fn linear_from_srgb(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Implements `tex` and `tld4`.
pub unsafe extern "C" fn sample(
    block: *mut Block,
    thread: *mut Thread,
    object: u64,
    what: u32,
    request: *mut Request,
) {
    // SAFETY: compiled code passes the running thread, its block, and a request on its stack.
    unsafe {
        match Texture::find(object) {
            Some(texture) => (*request).result = texture.sample(&*request, what),
            None => no_object(block, thread, object),
        }
    }
}

/// The property that `txq` returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Query {
    Width,
    Height,
    Depth,
    Levels,
    NormalizedCoordinates,
}

/// Implements `txq`.
pub unsafe extern "C" fn query(
    block: *mut Block,
    thread: *mut Thread,
    object: u64,
    what: u32,
) -> u32 {
    // SAFETY: as for `sample`.
    unsafe {
        let Some(texture) = Texture::find(object) else { no_object(block, thread, object) };
        match what {
            0..=2 => texture.levels[0].extent[what as usize],
            n if n == Query::Levels as u32 => texture.levels.len() as u32,
            _ => u32::from(texture.sampler.normalized_coordinates),
        }
    }
}

/// Ends the grid because the kernel passed a number that belongs to no object.
///
/// # Safety
/// The caller runs on the stack of the block's running thread.
pub unsafe fn no_object(block: *mut Block, thread: *mut Thread, object: u64) -> ! {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        let [x, y, z, _] = (*block).ctaid;
        fail(
            block,
            Fault::IllegalAddress { address: object, block: [x, y, z], thread: (*thread).tid },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addressing_repeats_reflects_and_stops() {
        let all =
            |mode| (-5..8).map(|i| addressed(mode, i, 3).map_or(-1, i64::from)).collect::<Vec<_>>();
        assert_eq!(all(Address::Wrap), [1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]);
        assert_eq!(all(Address::Mirror), [1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1]);
        assert_eq!(all(Address::Clamp), [0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2]);
        assert_eq!(all(Address::Border), [-1, -1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1, -1]);
    }

    #[test]
    fn directions_meet_faces() {
        assert_eq!(cube_face([2.0, 0.0, 0.0]), (0, 0.5, 0.5));
        assert_eq!(cube_face([-1.0, 0.0, 0.0]).0, 1);
        assert_eq!(cube_face([0.0, 1.0, 0.5]), (2, 0.5, 0.75));
        assert_eq!(cube_face([0.0, 0.0, -3.0]).0, 5);
    }
}
