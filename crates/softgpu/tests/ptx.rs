//! Runs every `tests/ptx/*.ptx` on the engine and compares the results with the expectations in the
//! file. `tests/ptx/README.md` describes the format. The expected values were measured on a GPU.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use outhaul_softgpu::engine::{
    Address, Channel, Grouping, Image, Instance, Launch, Output, Program, Sampler, Surface,
    Texture, run,
};

/// The test that a file's comments describe.
#[derive(Default)]
struct Case {
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    cooperative: bool,
    cluster: Option<[u32; 3]>,
    tolerance: f64,
    params: Vec<Parameter>,
    fault: Option<String>,
    stdout: Option<String>,
    stderr: Option<String>,
}

enum Parameter {
    Value(u64),
    Object(Object),
    /// Contents before the launch, and expected contents after it.
    Buffer {
        ty: Type,
        before: Vec<u64>,
        after: Option<Vec<u64>>,
    },
}

/// A texture or surface object, with its elements.
struct Object {
    surface: bool,
    image: Image,
    words: Vec<String>,
    elements: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq)]
struct Type {
    float: bool,
    bytes: usize,
}

#[derive(Default)]
struct Captured {
    stdout: Mutex<Vec<u8>>,
    stderr: Mutex<Vec<u8>>,
}

impl Output for Captured {
    fn stdout(&self, bytes: &[u8]) {
        self.stdout.lock().unwrap().extend(bytes);
    }

    fn stderr(&self, bytes: &[u8]) {
        self.stderr.lock().unwrap().extend(bytes);
    }
}

fn parse_type(text: &str) -> Type {
    Type { float: text.starts_with('f'), bytes: text[1..].parse::<usize>().unwrap() / 8 }
}

fn parse_value(ty: Type, text: &str) -> u64 {
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).unwrap();
    }
    match (ty.float, ty.bytes) {
        (true, 4) => u64::from(text.parse::<f32>().unwrap().to_bits()),
        (true, _) => text.parse::<f64>().unwrap().to_bits(),
        _ => text.parse::<i64>().unwrap() as u64,
    }
}

/// Parses values such as `1 0x2 3*5`. The last is the value 3 five times.
fn parse_values(ty: Type, text: &str) -> Vec<u64> {
    let mut values = Vec::new();
    for item in text.split_whitespace() {
        let (value, count) = item.split_once('*').unwrap_or((item, "1"));
        values.extend(std::iter::repeat_n(parse_value(ty, value), count.parse().unwrap()));
    }
    values
}

fn parse_shape(text: &str) -> [u32; 3] {
    let mut shape = [1; 3];
    for (to, from) in shape.iter_mut().zip(text.split_whitespace()) {
        *to = from.parse().unwrap();
    }
    shape
}

fn parse_case(text: &str) -> Case {
    let mut case = Case { grid: [1; 3], block: [1; 3], ..Case::default() };
    for line in text.lines() {
        let Some((key, value)) = line.strip_prefix("// ").and_then(|line| line.split_once(':'))
        else {
            continue;
        };
        let value = value.trim();
        let (word, rest) = key.split_once(' ').unwrap_or((key, ""));
        let (ty, count) = rest.split_once('[').unwrap_or((rest, ""));
        match word {
            "grid" => case.grid = parse_shape(value),
            "block" => case.block = parse_shape(value),
            "shared" => case.shared_bytes = value.parse().unwrap(),
            "cooperative" => case.cooperative = value == "yes",
            "cluster" => case.cluster = Some(parse_shape(value)),
            "tolerance" => case.tolerance = value.parse().unwrap(),
            "fault" => case.fault = Some(value.to_string()),
            "stdout" => case.stdout = Some(value.replace("\\n", "\n")),
            "stderr" => case.stderr = Some(value.replace("\\n", "\n")),
            "arg" => case.params.push(Parameter::Value(parse_value(parse_type(ty), value))),
            "texture" | "surface" => {
                case.params.push(Parameter::Object(parse_object(word == "surface", rest, value)))
            }
            "in" => {
                let ty = parse_type(ty);
                case.params.push(Parameter::Buffer {
                    ty,
                    before: parse_values(ty, value),
                    after: None,
                });
            }
            "out" => {
                let ty = parse_type(ty);
                let count: usize = count.trim_end_matches(']').parse().unwrap();
                let after = parse_values(ty, value);
                assert_eq!(after.len(), count, "expected values of `{key}`");
                case.params.push(Parameter::Buffer {
                    ty,
                    before: vec![0; count],
                    after: Some(after),
                });
            }
            _ => {}
        }
    }
    case
}

/// Parses `f32x1 4x3x2 layered linear`: channels, extents, and words about the shape and the
/// sampling.
fn parse_object(surface: bool, text: &str, values: &str) -> Object {
    let mut words = text.split_whitespace().map(str::to_string);
    let (element, extents) = (words.next().unwrap(), words.next().unwrap());
    let (channel, channels) = element.split_once('x').unwrap();
    let ty = parse_type(channel);
    let channel = match channel {
        "u8" => Channel::U8,
        "s8" => Channel::S8,
        "u16" => Channel::U16,
        "s16" => Channel::S16,
        "u32" => Channel::U32,
        "s32" => Channel::S32,
        "f16" => Channel::F16,
        _ => Channel::F32,
    };
    // Values of f16 are written as their bits.
    let ty = if channel == Channel::F16 { Type { float: false, ..ty } } else { ty };
    let words: Vec<String> = words.collect();
    let mut extent = parse_shape(&extents.replace('x', " "));
    if words.iter().any(|word| word == "layered") && extents.matches('x').count() == 1 {
        // The last extent counts the layers, which are lines here.
        extent = [extent[0], 1, extent[1]];
    }
    let mut image = Image {
        address: 0,
        extent,
        row_bytes: 0,
        slice_bytes: 0,
        channel,
        channels: channels.parse().unwrap(),
    };
    image.row_bytes = u64::from(extent[0]) * image.element_bytes();
    image.slice_bytes = image.row_bytes * u64::from(extent[1]);
    let elements = to_bytes(ty, &parse_values(ty, values));
    assert_eq!(
        elements.len() as u64,
        image.slice_bytes * u64::from(extent[2]),
        "elements of `{text}`"
    );
    Object { surface, image, words, elements }
}

/// Creates the objects and keeps them alive. Kernels receive their numbers.
#[derive(Default)]
struct Objects {
    elements: Vec<Vec<u8>>,
    textures: Vec<Arc<Texture>>,
    surfaces: Vec<Arc<Surface>>,
}

impl Objects {
    fn make(&mut self, object: &Object) -> u64 {
        self.elements.push(object.elements.clone());
        let address = self.elements.last_mut().unwrap().as_mut_ptr().expose_provenance() as u64;
        let image = Image { address, ..object.image };
        if object.surface {
            self.surfaces.push(Arc::new(Surface::new(image)));
            return (&raw const **self.surfaces.last().unwrap()).expose_provenance() as u64;
        }
        let has = |word: &str| object.words.iter().any(|found| found == word);
        let modes =
            [("wrap", Address::Wrap), ("mirror", Address::Mirror), ("border", Address::Border)];
        let address =
            modes.into_iter().find(|(word, _)| has(word)).map_or(Address::Clamp, |(_, mode)| mode);
        let sampler = Sampler {
            address: [address; 3],
            linear: has("linear"),
            normalized_coordinates: has("normalized"),
            normalized_read: has("fraction"),
            srgb: has("srgb"),
            border: [0.0; 4],
            linear_levels: false,
            level_bias: 0.0,
            level_range: [0.0; 2],
        };
        self.textures.push(Arc::new(Texture::new(vec![image], has("memory"), sampler)));
        (&raw const **self.textures.last().unwrap()).expose_provenance() as u64
    }
}

fn to_bytes(ty: Type, values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()[..ty.bytes].to_vec()).collect()
}

fn same(ty: Type, tolerance: f64, found: u64, wanted: u64) -> bool {
    if found == wanted || !ty.float {
        return found == wanted;
    }
    let float = |bits: u64| {
        if ty.bytes == 4 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
    };
    let (found, wanted) = (float(found), float(wanted));
    (found.is_nan() && wanted.is_nan())
        || (found - wanted).abs() <= tolerance * wanted.abs().max(1.0)
}

fn instantiate(program: &Arc<Program>, memory: &mut Vec<Vec<u128>>) -> Instance {
    let place = |global: &outhaul_softgpu::engine::Global| {
        let mut room = vec![0u128; global.size_bytes as usize / 16 + 1];
        let address = room.as_mut_ptr().cast();
        memory.push(room);
        Some(outhaul_softgpu::engine::VariableLocation::fresh(address))
    };
    program.instantiate(place).unwrap()
}

/// Runs a file. The error lists the differences, one per line.
fn check(path: &Path, grouping: Grouping) -> Result<(), String> {
    let text = std::fs::read_to_string(path).unwrap();
    let case = parse_case(&text);
    let program =
        Arc::new(Program::parse_for(&[&text], false, grouping).map_err(|error| error.to_string())?);
    let kernel = program.kernel("test").ok_or("no kernel `test`")?;
    kernel.prepare().map_err(|error| error.to_string())?;
    let mut memory = Vec::new();
    let instance = instantiate(&program, &mut memory);
    let (mut buffers, mut objects): (Vec<Vec<u8>>, _) = (Vec::new(), Objects::default());
    let mut params = vec![0u8; kernel.param_bytes as usize];
    for (parameter, place) in case.params.iter().zip(&kernel.params) {
        let value = match parameter {
            Parameter::Value(value) => *value,
            Parameter::Object(object) => objects.make(object),
            Parameter::Buffer { ty, before, .. } => {
                buffers.push(to_bytes(*ty, before));
                buffers.last_mut().unwrap().as_mut_ptr() as u64
            }
        };
        let (at, size) = (place.offset_bytes as usize, place.size_bytes as usize);
        params[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
    }
    let output = Captured::default();
    let result = run(&Launch {
        instance: &instance,
        kernel: &kernel,
        grid: case.grid,
        block: case.block,
        cluster: case.cluster,
        dynamic_shared_bytes: case.shared_bytes,
        params: &params,
        cooperative: case.cooperative,
        output: &output,
        checker: None,
        heap_bytes_max: 8 << 20,
        time_limit: None,
    });
    let mut report = String::new();
    let fault = result.err().map(|fault| fault.to_string());
    if !matches!((&fault, &case.fault), (None, None))
        && !fault
            .as_ref()
            .zip(case.fault.as_ref())
            .is_some_and(|(found, wanted)| found.contains(wanted))
    {
        writeln!(report, "fault {fault:?}, expected {:?}", case.fault).unwrap();
    }
    compare_text(&mut report, "stdout", &output.stdout, &case.stdout);
    compare_text(&mut report, "stderr", &output.stderr, &case.stderr);
    compare_buffers(&mut report, &case, &buffers);
    if report.is_empty() { Ok(()) } else { Err(report) }
}

fn compare_text(report: &mut String, name: &str, found: &Mutex<Vec<u8>>, wanted: &Option<String>) {
    let found = String::from_utf8_lossy(&found.lock().unwrap()).into_owned();
    if let Some(wanted) = wanted.as_ref().filter(|wanted| **wanted != found) {
        writeln!(report, "{name} {found:?}, expected {wanted:?}").unwrap();
    }
}

fn compare_buffers(report: &mut String, case: &Case, buffers: &[Vec<u8>]) {
    let described = case.params.iter().filter_map(|parameter| match parameter {
        Parameter::Buffer { ty, after, .. } => Some((ty, after)),
        Parameter::Value(..) | Parameter::Object(..) => None,
    });
    for ((ty, after), bytes) in described.zip(buffers) {
        let Some(after) = after else { continue };
        let threads = case.block.iter().product::<u32>() as usize;
        for (index, (found, wanted)) in bytes.chunks(ty.bytes).zip(after).enumerate() {
            let mut wide = [0; 8];
            wide[..ty.bytes].copy_from_slice(found);
            let found = u64::from_le_bytes(wide);
            if !same(*ty, case.tolerance, found, *wanted) {
                let (step, thread) = (index / threads, index % threads);
                writeln!(
                    report,
                    "{}-bit result {step}, thread {thread}: {found:#x}, expected {wanted:#x}",
                    ty.bytes * 8
                )
                .unwrap();
            }
        }
    }
}

#[test]
fn every_file_gives_its_expected_results() {
    check_all(Grouping::WhereItPays);
}

#[test]
fn every_file_gives_the_same_in_groups_of_threads() {
    check_all(Grouping::WherePossible);
}

fn check_all(grouping: Grouping) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/ptx");
    let only = std::env::var("PTX_TEST").unwrap_or_default();
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    paths.retain(|path| path.to_string_lossy().contains(&only));
    paths.sort();
    assert!(!paths.is_empty());
    let mut failed = 0;
    for path in &paths {
        if let Err(report) = check(path, grouping) {
            failed += 1;
            let lines: Vec<&str> = report.lines().take(12).collect();
            eprintln!(
                "{}: {} differences\n  {}",
                path.display(),
                report.lines().count(),
                lines.join("\n  ")
            );
        }
    }
    assert_eq!(failed, 0, "of {} files", paths.len());
}
