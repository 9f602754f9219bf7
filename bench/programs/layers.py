"""Runs small eager work in PyTorch: 50 linear layers, graphs that capture an optimizer, values that
are read back one by one, and copies of 4 KiB to the device. Each case prints the median, all times
in ms and a checksum."""

import sys
import time

import torch


def measure(name: str, work, times: int) -> None:
    """Runs `work`, which returns a number, once uncounted and then `times` times."""
    value = work()
    took_ms = []
    for _ in range(times):
        start = time.perf_counter()
        value = work()
        took_ms.append((time.perf_counter() - start) * 1e3)
    median = sorted(took_ms)[len(took_ms) // 2]
    print(f"{name} {median:.3f} {value!r}", *(f"{one:.3f}" for one in took_ms), flush=True)


def eager_layers():
    torch.manual_seed(0)
    layers = torch.nn.Sequential(*(torch.nn.Linear(256, 256) for _ in range(50))).cuda()
    batch = torch.randn(64, 256, device="cuda")

    def work():
        with torch.no_grad():
            for _ in range(20):
                out = layers(batch)
        return round(out.sum().item(), 3)

    return work


def captured_optimizer():
    torch.manual_seed(0)

    def work():
        total = 0.0
        for foreach in (False, True):
            for amsgrad in (False, True):
                weights = [
                    torch.full((64,), float(i), device="cuda", requires_grad=True)
                    for i in range(20)
                ]
                optimizer = torch.optim.Adam(
                    weights, capturable=True, foreach=foreach, amsgrad=amsgrad
                )
                for weight in weights:
                    weight.grad = torch.ones_like(weight)
                side = torch.cuda.Stream()
                with torch.cuda.stream(side):
                    for _ in range(3):
                        optimizer.step()
                torch.cuda.current_stream().wait_stream(side)
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    optimizer.step()
                for _ in range(10):
                    graph.replay()
                total += sum(weight.sum().item() for weight in weights)
        return round(total, 2)

    return work


def items_read():
    values = torch.arange(1000, device="cuda", dtype=torch.float32)
    return lambda: sum(values[i].item() for i in range(1000))


def small_tensors_sent(pins: bool):
    host = torch.arange(1024, dtype=torch.float32)
    host = host.pin_memory() if pins else host
    device = torch.empty(1024, device="cuda")

    def work():
        for _ in range(1000):
            device.copy_(host)
        return device.sum().item()

    return work


if __name__ == "__main__":
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    torch.backends.cuda.matmul.allow_tf32 = False
    measure("eager-layers", eager_layers(), times)
    measure("captured-optimizer", captured_optimizer(), times)
    measure("1000-items-read", items_read(), times)
    measure("1000-tensors-of-4-KiB-sent", small_tensors_sent(pins=False), times)
    measure("1000-pinned-tensors-of-4-KiB-sent", small_tensors_sent(pins=True), times)
