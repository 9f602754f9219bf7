// Encodes pictures as JPEG on the GPU, for cards without an encoder of their own: baseline, 4:2:0,
// with the tables of the standard's Annex K. All arithmetic uses integers, so that the bytes are
// the same on any GPU.
//
// A unit is 16 x 16 pixels: four blocks of brightness, and one for each of two colours. Every few
// units the stream starts anew, at a restart marker, so one thread can code each such interval.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.cuh"

namespace jpeg {

const int unit_blocks = 6, unit_samples = unit_blocks * 64;
const int interval_units = 4;
// The most bytes of a block: 22 bits, and 63 times 26, and each byte may need another behind it.
const int block_bytes_max = 2 * ((22 + 63 * 26 + 7) / 8);
// The last four bytes hold the padding and the marker.
const int interval_bytes_max = interval_units * unit_blocks * block_bytes_max + 4;
const int cosine_bits = 13, fraction_bits = 3;

// Constants that the kernels read. The first of two is for brightness, the second for colours.
struct Tables {
    int cosines[8][8];
    int quanta[2][64];
    // Place of a coefficient in the order of the stream.
    uint8_t places[64];
    // Length of a symbol's code in the upper half, the code in the lower.
    uint32_t dc_codes[2][256], ac_codes[2][256];
};

__device__ inline int channel(uint32_t pixel, int which) { return pixel >> which * 8 & 255; }

// Returns brightness (0) or a colour (1, 2) of a pixel, around 0, in 1/65536.
__device__ inline int component(uint32_t pixel, int which) {
    int red = channel(pixel, 0), green = channel(pixel, 1), blue = channel(pixel, 2);
    if (which == 0) return 19595 * red + 38470 * green + 7471 * blue - (128 << 16);
    if (which == 1) return -11059 * red - 21709 * green + 32768 * blue;
    return 32768 * red - 27439 * green - 5329 * blue;
}

// Makes the quantized coefficients of a unit for each group of threads. A thread makes one sample,
// then a sum over a row of samples, then one over a column of these sums. Pixels beyond an edge are
// those of the edge.
__global__ void transform(const uint32_t* pixels, int width, int height, const Tables* tables,
                          int16_t* coefficients) {
    __shared__ int samples[unit_samples], rows[unit_samples];
    int units_across = (width + 15) / 16;
    int left = blockIdx.x % units_across * 16, top = blockIdx.x / units_across * 16;
    int block = threadIdx.x / 64, at = threadIdx.x % 64, x = at % 8, y = at / 8;
    auto pixel = [&](int px, int py) {
        return pixels[(size_t)min(top + py, height - 1) * width + min(left + px, width - 1)];
    };
    int sample;
    if (block < 4) {
        sample = component(pixel(x + block % 2 * 8, y + block / 2 * 8), 0);
    } else {
        int sum = 0;
        for (int i = 0; i < 4; i++)
            sum += component(pixel(x * 2 + i % 2, y * 2 + i / 2), block - 3);
        sample = sum >> 2;
    }
    samples[threadIdx.x] = (sample + (1 << 15)) >> 16;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += samples[block * 64 + y * 8 + i] * tables->cosines[x][i];
    rows[threadIdx.x] = sum >> (cosine_bits - fraction_bits);
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 8; i++) sum += rows[block * 64 + i * 8 + x] * tables->cosines[y][i];
    int quantum = tables->quanta[block >= 4][at] << (cosine_bits + fraction_bits);
    int rounded = (abs(sum) + quantum / 2) / quantum;
    size_t place = ((size_t)blockIdx.x * unit_blocks + block) * 64 + tables->places[at];
    coefficients[place] = sum < 0 ? -rounded : rounded;
}

// Writes codes one after the other. A byte 0xff in the stream is followed by a 0.
struct Writer {
    uint8_t* bytes;
    uint32_t count, held;
    int held_bits;

    __device__ void put(uint32_t bits, int length) {
        held = held << length | bits;
        held_bits += length;
        while (held_bits >= 8) {
            held_bits -= 8;
            uint8_t byte = held >> held_bits;
            bytes[count++] = byte;
            if (byte == 0xff) bytes[count++] = 0;
        }
    }

    // Writes a code from a table. It says how many zeros come first and how many bits the value
    // has. These bits follow.
    __device__ void put_value(const uint32_t* codes, int zeros, int value) {
        int length = 32 - __clz(abs(value));
        uint32_t code = codes[zeros << 4 | length];
        put(code & 0xffff, code >> 16);
        if (length) put((value < 0 ? value - 1 : value) & ((1 << length) - 1), length);
    }

    __device__ void put_marker(uint8_t marker) {
        int missing = (8 - held_bits) % 8;
        put((1 << missing) - 1, missing);
        bytes[count++] = 0xff;
        bytes[count++] = marker;
    }
};

// Codes an interval per thread, each into a place of its own.
__global__ void code(const int16_t* coefficients, const Tables* tables, int units, int intervals,
                     uint8_t* coded, uint32_t* sizes) {
    int interval = blockIdx.x * blockDim.x + threadIdx.x;
    if (interval >= intervals) return;
    Writer writer{coded + (size_t)interval * interval_bytes_max, 0, 0, 0};
    int means[3] = {0, 0, 0};
    int first = interval * interval_units, end = min(first + interval_units, units);
    for (int block = first * unit_blocks; block < end * unit_blocks; block++) {
        int part = max(block % unit_blocks - 3, 0), table = part > 0;
        const int16_t* values = coefficients + (size_t)block * 64;
        writer.put_value(tables->dc_codes[table], 0, values[0] - means[part]);
        means[part] = values[0];
        int zeros = 0;
        for (int i = 1; i < 64; i++) {
            if (values[i] == 0) {
                zeros++;
                continue;
            }
            // A code counts up to 15 zeros. This one stands for 16.
            for (; zeros > 15; zeros -= 16) writer.put_value(tables->ac_codes[table], 15, 0);
            writer.put_value(tables->ac_codes[table], zeros, values[i]);
            zeros = 0;
        }
        if (zeros) writer.put_value(tables->ac_codes[table], 0, 0);
    }
    writer.put_marker(interval + 1 < intervals ? 0xd0 + interval % 8 : 0xd9);
    sizes[interval] = writer.count;
}

// Joins the intervals behind the header, a group of threads for each, and writes the length of all.
__global__ void join(const uint8_t* coded, const uint32_t* sizes, uint32_t header_bytes,
                     uint8_t* file, uint32_t* length) {
    __shared__ uint32_t before;
    if (threadIdx.x == 0) before = header_bytes;
    __syncthreads();
    uint32_t sum = 0;
    for (unsigned i = threadIdx.x; i < blockIdx.x; i += blockDim.x) sum += sizes[i];
    atomicAdd(&before, sum);
    __syncthreads();
    const uint8_t* from = coded + (size_t)blockIdx.x * interval_bytes_max;
    uint32_t size = sizes[blockIdx.x];
    for (uint32_t i = threadIdx.x; i < size; i += blockDim.x) file[before + i] = from[i];
    if (threadIdx.x == 0 && blockIdx.x + 1 == gridDim.x) *length = before + size;
}

// A Huffman table as the file has it: the number of codes of each length from 1 to 16, and the
// symbols in the order of their codes.
struct Huffman {
    uint8_t counts[16];
    std::vector<uint8_t> symbols;

    void codes(uint32_t* codes) const {
        uint32_t code = 0;
        auto symbol = symbols.begin();
        for (uint32_t length = 1; length <= 16; length++, code <<= 1)
            for (int i = 0; i < counts[length - 1]; i++)
                codes[*symbol++] = length << 16 | code++;
    }
};

inline const Huffman& dc_table(int which) {
    static const Huffman tables[2] = {
        {{0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
        {{0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
    };
    return tables[which];
}

// In both tables, the symbols without a short code follow in rising order.
inline Huffman with_others(Huffman table) {
    for (int zeros = 0; zeros < 16; zeros++) {
        for (int length = 1; length <= 10; length++) {
            uint8_t symbol = zeros << 4 | length;
            auto end = table.symbols.end();
            if (std::find(table.symbols.begin(), end, symbol) == end)
                table.symbols.push_back(symbol);
        }
    }
    return table;
}

inline const Huffman& ac_table(int which) {
    static const Huffman tables[2] = {
        with_others({{0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125},
                     {0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06,
                      0x13, 0x51, 0x61, 0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xa1, 0x08,
                      0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72,
                      0x82}}),
        with_others({{0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119},
                     {0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41,
                      0x51, 0x07, 0x61, 0x71, 0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91,
                      0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1,
                      0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17}}),
    };
    return tables[which];
}

// Steps of quality 50, brightness first.
const uint8_t quanta_50[2][64] = {
    {16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
     14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
     18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
     49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99},
    {17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99,
     24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
     99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
     99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99}};

inline Tables tables_of(int quality) {
    Tables tables = {};
    for (int u = 0; u < 8; u++) {
        double scale = (1 << cosine_bits) / 2.0 * (u ? 1 : std::sqrt(0.5));
        for (int x = 0; x < 8; x++)
            tables.cosines[u][x] = (int)std::lround(scale * std::cos((2 * x + 1) * u * M_PI / 16));
    }
    int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
    for (int which = 0; which < 2; which++) {
        for (int i = 0; i < 64; i++) {
            int quantum = (quanta_50[which][i] * percent + 50) / 100;
            tables.quanta[which][i] = std::min(std::max(quantum, 1), 255);
        }
        dc_table(which).codes(tables.dc_codes[which]);
        ac_table(which).codes(tables.ac_codes[which]);
    }
    // The stream runs along the diagonals of a block, up and down in turn.
    uint8_t place = 0;
    for (int diagonal = 0; diagonal < 15; diagonal++) {
        for (int i = 0; i <= diagonal; i++) {
            int y = diagonal % 2 ? i : diagonal - i, x = diagonal - y;
            if (x < 8 && y < 8) tables.places[y * 8 + x] = place++;
        }
    }
    return tables;
}

// Returns the bytes of a file in front of the coded intervals.
inline std::vector<uint8_t> header(int width, int height, const Tables& tables) {
    std::vector<uint8_t> file = {0xff, 0xd8};
    auto segment = [&](uint8_t marker, const std::vector<uint8_t>& content) {
        size_t length = content.size() + 2;
        file.insert(file.end(), {0xff, marker, (uint8_t)(length >> 8), (uint8_t)length});
        file.insert(file.end(), content.begin(), content.end());
    };
    auto high = [](int number) { return (uint8_t)(number >> 8); };
    auto low = [](int number) { return (uint8_t)number; };
    segment(0xe0, {'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0});
    for (uint8_t which = 0; which < 2; which++) {
        std::vector<uint8_t> quanta(65, which);
        for (int i = 0; i < 64; i++) quanta[1 + tables.places[i]] = tables.quanta[which][i];
        segment(0xdb, quanta);
    }
    segment(0xc0, {8, high(height), low(height), high(width), low(width), 3,  // three components
                   1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1});
    for (uint8_t which = 0; which < 2; which++) {
        for (uint8_t is_ac = 0; is_ac < 2; is_ac++) {
            const Huffman& table = is_ac ? ac_table(which) : dc_table(which);
            std::vector<uint8_t> content = {(uint8_t)(is_ac << 4 | which)};
            content.insert(content.end(), table.counts, table.counts + 16);
            content.insert(content.end(), table.symbols.begin(), table.symbols.end());
            segment(0xc4, content);
        }
    }
    segment(0xdd, {high(interval_units), low(interval_units)});
    segment(0xda, {3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0});
    return file;
}

// Encodes pictures of one size, one after the other. The file follows its length, 4 bytes, in
// device memory.
class Encoder {
public:
    Encoder(int width, int height, int quality) : width(width), height(height) {
        Tables host = tables_of(quality);
        std::vector<uint8_t> head = header(width, height, host);
        header_bytes = (uint32_t)head.size();
        units = (width + 15) / 16 * ((height + 15) / 16);
        intervals = (units + interval_units - 1) / interval_units;
        size_t coded_bytes = (size_t)intervals * interval_bytes_max;
        bytes_max = 4 + header_bytes + coded_bytes;
        CHECK(cudaMalloc(&tables, sizeof(Tables)));
        CHECK(cudaMalloc(&coefficients, (size_t)units * unit_samples * sizeof(int16_t)));
        CHECK(cudaMalloc(&coded, coded_bytes));
        CHECK(cudaMalloc(&sizes, intervals * sizeof(uint32_t)));
        CHECK(cudaMalloc(&length_and_file, bytes_max));
        CHECK(cudaMemcpy(tables, &host, sizeof host, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(length_and_file + 4, head.data(), header_bytes, cudaMemcpyHostToDevice));
    }

    // Starts to encode RGBA pixels in device memory.
    void encode(const uint32_t* pixels, cudaStream_t stream) {
        transform<<<units, unit_samples, 0, stream>>>(pixels, width, height, tables, coefficients);
        code<<<(intervals + 31) / 32, 32, 0, stream>>>(coefficients, tables, units, intervals,
                                                       coded, sizes);
        join<<<intervals, 128, 0, stream>>>(coded, sizes, header_bytes, length_and_file + 4,
                                            (uint32_t*)length_and_file);
    }

    const uint8_t* output() const { return length_and_file; }

    // Returns the most bytes of the output.
    size_t most() const { return bytes_max; }

private:
    int width, height, units, intervals;
    uint32_t header_bytes;
    size_t bytes_max;
    Tables* tables;
    int16_t* coefficients;
    uint8_t *coded, *length_and_file;
    uint32_t* sizes;
};

}  // namespace jpeg
