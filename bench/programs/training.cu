// The shape of a training loop without its mathematics: a small batch goes to the device, a row of
// kernels works on it, the weights change. Once nothing is read back before the end, once the loss
// is read in each step. Then one large copy each way.
#include "measure.h"

constexpr int WIDTH = 16384, BATCH = 1024, LAYERS = 12, STEPS = 40, STEPS_UNREAD = 4000;
constexpr size_t LARGE_BYTES = 256u << 20;

// What a layer does to what it is given, and what it adds to the loss.
__global__ void layer(const float* in, float* out, const float* weights, float* loss) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i] * 0.5f + weights[i];
    out[i] = x - x * x * 0.125f;
    if (i == 0) *loss += out[i];
}

__global__ void update(float* weights, const float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    weights[i] += 0.001f * (0.25f - out[i]);
}

struct Model {
    float *batch, *weights, *a, *b, *loss, *pinned;

    Model() {
        for (float** buffer : {&batch, &weights, &a, &b})
            CHECK(cudaMalloc(buffer, WIDTH * sizeof(float)));
        CHECK(cudaMalloc(&loss, sizeof(float)));
        CHECK(cudaMallocHost(&pinned, BATCH * sizeof(float)));
        Numbers numbers;
        for (int i = 0; i < BATCH; i++) pinned[i] = static_cast<float>(numbers.below(1000)) / 1000;
    }

    void begin() {
        CHECK(cudaMemset(weights, 0, WIDTH * sizeof(float)));
        CHECK(cudaMemset(batch, 0, WIDTH * sizeof(float)));
    }

    void step() {
        CHECK(cudaMemcpyAsync(batch, pinned, BATCH * sizeof(float), cudaMemcpyHostToDevice));
        CHECK(cudaMemsetAsync(loss, 0, sizeof(float)));
        const float* in = batch;
        for (int i = 0; i < LAYERS; i++) {
            float* out = i % 2 ? b : a;
            layer<<<WIDTH / 256, 256>>>(in, out, weights, loss);
            update<<<WIDTH / 256, 256>>>(weights, out);
            in = out;
        }
    }

    float read() {
        float value;
        CHECK(cudaMemcpy(&value, loss, sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }
};

int main(int argc, char** argv) {
    int times = repeats(argc, argv);
    Model model;
    int failed = measure("4000-steps-unread", times, [&] {
        model.begin();
        for (int i = 0; i < STEPS_UNREAD; i++) model.step();
        float loss = model.read();
        return checksum(&loss, 1);
    });
    failed |= measure("40-steps-loss-read", times, [&] {
        model.begin();
        float losses[STEPS];
        for (float& loss : losses) {
            model.step();
            loss = model.read();
        }
        return checksum(losses, STEPS);
    });
    std::vector<uint32_t> host(LARGE_BYTES / 4);
    Numbers numbers;
    for (uint32_t& word : host) word = numbers.next() ^ numbers.next() << 13;
    char* device;
    CHECK(cudaMalloc(&device, LARGE_BYTES));
    failed |= measure("256-MiB-to-device", times, [&] {
        CHECK(cudaMemcpy(device, host.data(), LARGE_BYTES, cudaMemcpyHostToDevice));
        CHECK(cudaDeviceSynchronize());
        return checksum(host.data(), 64);
    });
    failed |= measure("256-MiB-to-host", times, [&] {
        CHECK(cudaMemcpy(host.data(), device, LARGE_BYTES, cudaMemcpyDeviceToHost));
        return checksum(host.data(), 64);
    });
    return failed;
}
