// Draws identical moving balls for the two eyes of a headset, at a fixed rate. An ordinary CUDA
// program that knows nothing of Outhaul.
//
//   nvcc -O2 -o frameloop frameloop.cu
//   ./frameloop --objects 1000 --rate 90 --frames 900 >here.csv
//   outhaul run --node gpu7 -- ./frameloop --objects 1000 --rate 90 --frames 900 >there.csv
//
// A frame begins at a tick and is due at the next. A late frame drops the ticks that it missed.
// Standard output has a line for each frame; due and ready are in milliseconds from the first tick.
// Standard error has a summary of all frames.
//
// With --stream the picture follows each line, with as many bytes as the line says. Due and ready
// are then times of the machine's monotonic clock, so that a program that shows the pictures knows
// their age. frame_viewer.py is such a program.
//
// A picture depends only on its frame's number and consists of whole numbers, so the checksums of
// two runs are equal on any machines.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "jpeg.cuh"

const int threads = 256;

enum class Format { rgba, nv12, jpeg };
const char* const format_names[] = {"RGBA", "NV12", "JPEG"};

struct Options {
    int objects = 1000, frames = 300, rate = 90;
    int width = 2160, height = 1200;  // pixels of both eyes together
    Format format = Format::rgba;
    int quality = 0;  // of JPEG, 1 to 100
    bool stream = false;
};

// A ball as an eye sees it. A nearer ball is larger, and its two images are further apart.
struct Ball {
    int x, y, radius, colour;
};

__global__ void render(const Ball* balls, int count, uint32_t* pixels, int width, int height) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= width * height) return;
    int eye_width = width / 2, x = at % width, y = at / width;
    int side = x < eye_width ? 1 : -1;
    if (side < 0) x -= eye_width;
    int radius = 0, light = 0, colour = 0x404040;
    for (int i = 0; i < count; i++) {
        Ball ball = balls[i];
        int dx = x - ball.x - side * ball.radius / 4, dy = y - ball.y;
        int depth = ball.radius * ball.radius - dx * dx - dy * dy;
        if (depth > 0 && ball.radius > radius) {
            radius = ball.radius;
            light = depth;
            colour = ball.colour;
        }
    }
    // A ball is brightest in its middle. At its edge it has 64 of 255.
    int brightness = radius ? 64 + 191 * light / (radius * radius) : 64 + 64 * y / height;
    uint32_t pixel = 0xff000000;
    for (int shift = 0; shift < 24; shift += 8)
        pixel |= (uint32_t)((colour >> shift & 255) * brightness / 255) << shift;
    pixels[at] = pixel;
}

// Converts four pixels per thread: a brightness for each, and their mean colour (BT.601).
__global__ void to_nv12(const uint32_t* pixels, uint8_t* picture, int width, int height) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= width / 2 * (height / 2)) return;
    int x = at % (width / 2) * 2, y = at / (width / 2) * 2;
    int red = 0, green = 0, blue = 0;
    for (int i = 0; i < 4; i++) {
        int place = (y + i / 2) * width + x + i % 2;
        uint32_t pixel = pixels[place];
        int r = pixel & 255, g = pixel >> 8 & 255, b = pixel >> 16 & 255;
        picture[place] = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
        red += r, green += g, blue += b;
    }
    red /= 4, green /= 4, blue /= 4;
    uint8_t* colours = picture + width * height + y / 2 * width + x;
    colours[0] = ((-38 * red - 74 * green + 112 * blue + 128) >> 8) + 128;
    colours[1] = ((112 * red - 94 * green - 18 * blue + 128) >> 8) + 128;
}

static uint32_t scattered(uint32_t number) {
    number = (number ^ number >> 16) * 0x7feb352du;
    number = (number ^ number >> 15) * 0x846ca68bu;
    return number ^ number >> 16;
}

// Moves the balls to their places in a frame. All have one size and move evenly, each at a distance
// of its own.
static void move(std::vector<Ball>& balls, int64_t frame, const Options& options) {
    int width = options.width / 2, height = options.height;
    for (size_t i = 0; i < balls.size(); i++) {
        uint32_t dice[4];
        for (uint32_t d = 0; d < 4; d++) dice[d] = scattered((uint32_t)i * 4 + d);
        int distance = 8 + (int)(dice[2] % 32);
        int64_t x = dice[0] % width + frame * (1 + dice[0] / 65536 % 8),
                y = dice[1] % height + frame * (1 + dice[1] / 65536 % 4);
        balls[i] = {(int)(x % width), (int)(y % height), std::max(1, height / distance),
                    (int)(dice[3] & 0xffffff)};
    }
}

// Returns a checksum. It adds whole words on four paths, so that it takes little of a frame. The
// remaining bytes follow one by one.
static uint64_t checksum(const uint8_t* bytes, size_t count) {
    const uint64_t prime = 0x9e3779b97f4a7c15;
    uint64_t sums[4] = {1, 2, 3, 4};
    auto add = [&](uint64_t& sum, uint64_t word) {
        sum = (sum ^ word) * prime;
        sum ^= sum >> 32;
    };
    size_t at = 0;
    for (; at + 32 <= count; at += 32) {
        uint64_t words[4];
        std::memcpy(words, bytes + at, sizeof words);
        for (int i = 0; i < 4; i++) add(sums[i], words[i]);
    }
    for (; at < count; at++) add(sums[0], bytes[at]);
    for (int i = 1; i < 4; i++) add(sums[0], sums[i]);
    return sums[0];
}

// Draws one frame after the other into the same memory.
class Renderer {
public:
    explicit Renderer(const Options& options) : options(options), balls(options.objects) {
        size_t area = (size_t)options.width * options.height;
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaEventCreate(&start));
        CHECK(cudaEventCreate(&end));
        CHECK(cudaMalloc(&on_device, balls.size() * sizeof(Ball)));
        CHECK(cudaMalloc(&pixels, area * 4));
        size_t most = area * 4;
        if (options.format == Format::nv12) {
            most = area * 3 / 2;
            CHECK(cudaMalloc(&converted, most));
        } else if (options.format == Format::jpeg) {
            encoder.emplace(options.width, options.height, options.quality);
            most = encoder->most();
        }
        bytes = most;
        CHECK(cudaMallocHost(&fetched, most));
    }

    // Returns when the picture is in the host's memory.
    void draw(int64_t frame) {
        int area = options.width * options.height;
        move(balls, frame, options);
        CHECK(cudaEventRecord(start, stream));
        CHECK(cudaMemcpyAsync(on_device, balls.data(), balls.size() * sizeof(Ball),
                              cudaMemcpyHostToDevice, stream));
        render<<<(area + threads - 1) / threads, threads, 0, stream>>>(
            on_device, options.objects, pixels, options.width, options.height);
        if (options.format == Format::jpeg) {
            encoder->encode(pixels, stream);
            fetch_encoded();
            return;
        }
        if (options.format == Format::nv12) {
            to_nv12<<<(area / 4 + threads - 1) / threads, threads, 0, stream>>>(
                pixels, converted, options.width, options.height);
        }
        CHECK(cudaGetLastError());
        fetch(0, options.format == Format::nv12 ? (const void*)converted : pixels, bytes);
    }

    // Returns the GPU's time of the last frame, including copies.
    float gpu_ms() const {
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, end));
        return ms;
    }

    const uint8_t* picture() const { return fetched + (encoder ? sizeof(uint32_t) : 0); }
    size_t size() const { return bytes; }

private:
    void fetch(size_t at, const void* from, size_t count) {
        CHECK(cudaMemcpyAsync(fetched + at, from, count, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaEventRecord(end, stream));
        CHECK(cudaStreamSynchronize(stream));
    }

    // Only the GPU knows the length of an encoded picture. Asking for it first would cost a round
    // trip, so this copies somewhat more than the last picture needed, and then what is missing.
    void fetch_encoded() {
        CHECK(cudaGetLastError());
        fetch(0, encoder->output(), guess);
        uint32_t length;
        std::memcpy(&length, fetched, sizeof length);
        bytes = length;
        size_t whole = sizeof length + bytes;
        if (whole > guess) fetch(guess, encoder->output() + guess, whole - guess);
        guess = std::min(whole + whole / 8, encoder->most());
    }

    Options options;
    std::vector<Ball> balls;
    std::optional<jpeg::Encoder> encoder;
    size_t bytes, guess = 1024;
    cudaStream_t stream;
    cudaEvent_t start, end;
    Ball* on_device;
    uint32_t* pixels;
    uint8_t *converted = nullptr, *fetched;
};

// The measurements of all frames.
struct Record {
    std::vector<double> gpu_ms, whole_ms;
    int64_t late = 0, dropped = 0;
    uint64_t sum = 0;
};

static double quantile(std::vector<double> values, double part) {
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, (size_t)(values.size() * part))];
}

static Record loop(Renderer& renderer, const Options& options) {
    using Clock = std::chrono::steady_clock;
    Record record;
    const double tick_ms = 1000.0 / options.rate;
    // The first launch loads the code, so no frame is measured yet.
    renderer.draw(0);
    std::printf("frame,due_ms,ready_ms,gpu_ms,whole_ms,dropped,checksum,bytes\n");
    const Clock::time_point first = Clock::now();
    // Linux's monotonic clock is the steady one.
    const double origin_ms =
        options.stream
            ? std::chrono::duration<double, std::milli>(first.time_since_epoch()).count()
            : 0;
    auto now_ms = [&] {
        return std::chrono::duration<double, std::milli>(Clock::now() - first).count();
    };
    int64_t tick = 0;
    for (int frame = 0; frame < options.frames; frame++) {
        std::chrono::duration<double, std::milli> since_first(tick * tick_ms);
        std::this_thread::sleep_until(first +
                                      std::chrono::duration_cast<Clock::duration>(since_first));
        double begun_ms = now_ms(), due_ms = (tick + 1) * tick_ms;
        renderer.draw(frame);
        double ready_ms = now_ms();
        bool late = ready_ms > due_ms;
        int64_t next = late ? (int64_t)std::floor(ready_ms / tick_ms) + 1 : tick + 1;
        int64_t dropped = next - tick - 1;
        uint64_t sum = checksum(renderer.picture(), renderer.size());
        record.gpu_ms.push_back(renderer.gpu_ms());
        record.whole_ms.push_back(ready_ms - begun_ms);
        record.late += late;
        record.dropped += dropped;
        record.sum = record.sum * 31 + sum;
        std::printf("%d,%.3f,%.3f,%.3f,%.3f,%lld,%016llx,%zu\n", frame, origin_ms + due_ms,
                    origin_ms + ready_ms, record.gpu_ms.back(), record.whole_ms.back(),
                    (long long)dropped, (unsigned long long)sum, renderer.size());
        if (options.stream) {
            std::fwrite(renderer.picture(), 1, renderer.size(), stdout);
            std::fflush(stdout);
        }
        tick = next;
    }
    return record;
}

[[noreturn]] static void usage() {
    std::fprintf(
        stderr,
        "frameloop [--objects N] [--frames N] [--rate PER_SECOND] [--size WIDTHxHEIGHT]\n"
        "          [--nv12 | --jpeg QUALITY] [--stream]\n"
        "Both eyes together have the size, 2160x1200 unless given: a multiple of 4 wide, and an "
        "even number high.\n");
    std::exit(2);
}

static int number(const char* text, int most) {
    char* end;
    long value = std::strtol(text, &end, 10);
    if (end == text || *end || value < 1 || value > most) usage();
    return (int)value;
}

static Options parse(int count, char** words) {
    Options options;
    for (int i = 1; i < count; i++) {
        const char* word = words[i];
        if (!std::strcmp(word, "--nv12")) {
            options.format = Format::nv12;
            continue;
        }
        if (!std::strcmp(word, "--stream")) {
            options.stream = true;
            continue;
        }
        if (++i == count) usage();
        if (!std::strcmp(word, "--objects"))
            options.objects = number(words[i], 1 << 20);
        else if (!std::strcmp(word, "--frames"))
            options.frames = number(words[i], 1 << 30);
        else if (!std::strcmp(word, "--rate"))
            options.rate = number(words[i], 1000);
        else if (!std::strcmp(word, "--jpeg")) {
            options.format = Format::jpeg;
            options.quality = number(words[i], 100);
        } else if (!std::strcmp(word, "--size")) {
            char over;
            if (std::sscanf(words[i], "%dx%d%c", &options.width, &options.height, &over) != 2)
                usage();
        } else
            usage();
    }
    bool fits = options.width > 0 && options.height > 0 && options.width <= 16384 &&
                options.height <= 16384;
    if (!fits || options.width % 4 || options.height % 2) usage();
    return options;
}

int main(int count, char** words) {
    Options options = parse(count, words);
    Renderer renderer(options);
    Record record = loop(renderer, options);
    std::fflush(stdout);
    std::fprintf(stderr,
                 "%d frames of %d x %d in %s with %d objects, %d a second: %lld in time, %lld "
                 "late, %lld ticks dropped; "
                 "of the GPU %.2f ms, whole %.2f ms (medians), %.2f ms (99 %%); checksum %016llx\n",
                 options.frames, options.width, options.height, 
                 format_names[(int)options.format],
                 options.objects, options.rate, (long long)(options.frames - record.late),
                 (long long)record.late, (long long)record.dropped, quantile(record.gpu_ms, 0.5),
                 quantile(record.whole_ms, 0.5), quantile(record.whole_ms, 0.99),
                 (unsigned long long)record.sum);
    return 0;
}
