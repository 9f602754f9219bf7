"""Times real models, and prints one JSON object for each case. The result is the ratio of a native
and a remote run.

    models.py CASE[,CASE...] STEPS      CASE: resnet50-bf16, resnet50-fp32, inception-bf16, llama,
                                        call-..., import

`outhaul bench` contains this file and runs it.
"""

import ctypes
import json
import sys
import time

START = time.perf_counter()

import torch


def training(name, batch, size, dtype):
    import torchvision

    torch.manual_seed(0)
    torch.backends.cudnn.deterministic = True
    options = {"aux_logits": False, "init_weights": False} if name == "inception_v3" else {}
    with torch.device("cuda"):
        model = getattr(torchvision.models, name)(weights=None, **options).to(
            memory_format=torch.channels_last
        )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    generator = torch.Generator().manual_seed(1)
    images = [
        torch.randint(
            0, 256, (batch, 3, size, size), dtype=torch.uint8, generator=generator
        ).pin_memory()
        for _ in range(2)
    ]
    labels = [torch.randint(0, 1000, (batch,), generator=generator).pin_memory() for _ in range(2)]

    def step(i):
        x = (
            images[i % 2]
            .to("cuda", non_blocking=True)
            .to(memory_format=torch.channels_last)
            .float()
            .div_(255)
        )
        y = labels[i % 2].to("cuda", non_blocking=True)
        with torch.autocast("cuda", dtype, enabled=dtype is not torch.float32):
            loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        return loss

    return step


def decoding():
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=2048,
        intermediate_size=8192,
        num_hidden_layers=16,
        num_attention_heads=32,
        num_key_value_heads=8,
        vocab_size=32000,
    )
    with torch.device("cuda"):  # a CPU takes long to generate a billion weights
        model = LlamaForCausalLM(config).to(torch.bfloat16).eval()
    state = {"ids": torch.arange(16, device="cuda")[None], "cache": None}

    def step(_):
        with torch.no_grad():
            out = model(input_ids=state["ids"], past_key_values=state["cache"], use_cache=True)
        state["cache"] = out.past_key_values
        state["ids"] = out.logits[:, -1:].argmax(-1)
        state["token"] = state["ids"].item()
        return out.logits.float().mean()

    return step


CASES = {
    "resnet50-bf16-16": lambda: training("resnet50", 16, 224, torch.bfloat16),
    "resnet50-bf16": lambda: training("resnet50", 64, 224, torch.bfloat16),
    "resnet50-bf16-256": lambda: training("resnet50", 256, 224, torch.bfloat16),
    "resnet50-fp32": lambda: training("resnet50", 64, 224, torch.float32),
    "inception-bf16": lambda: training("inception_v3", 64, 299, torch.bfloat16),
    "llama": decoding,
}


CALLS = 500


def calls():
    """Returns the calls to time, each of which runs as often as CALLS says without a wait
    between."""
    x, words = torch.zeros((), device="cuda"), torch.zeros(1024, device="cuda")
    pinned = torch.zeros(1024).pin_memory()
    torch.cuda.synchronize()
    graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.stream(side):
        x.add_(1)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        for _ in range(20):
            x.add_(1)

    def replay():
        graph.replay()
        x.item()

    return {
        "call-add": lambda: x.add_(1),
        "call-item": lambda: x.item(),
        "call-to-device-async": lambda: words.copy_(pinned, non_blocking=True),
        "call-to-device": lambda: words.copy_(pinned),
        "call-to-host-async": lambda: pinned.copy_(words, non_blocking=True),
        "call-to-host": lambda: pinned.copy_(words),
        "call-replay": replay,
    }


def measure_call(case):
    """Returns the median over 21 rounds of the time of one call. Between rounds it waits for work
    that the calls left."""
    call, times = calls()[case], []
    for _ in range(22):
        before, begin = totals(), time.perf_counter()
        for _ in range(CALLS):
            call()
        times.append((time.perf_counter() - begin) / CALLS * 1e3)
        after = totals()
        torch.cuda.synchronize()
    counted = [b - a for a, b in zip(before, after)] if before and after else None
    print(
        json.dumps(
            {
                "device": torch.cuda.get_device_name(),
                "case": case,
                "ms_per_step": sorted(times[1:])[10],
                "traffic": traffic(counted, CALLS),
                "losses": [],
            }
        ),
        flush=True,
    )


def first_result():
    """Returns the seconds from before `import torch` to a matrix product and a convolution, read
    back."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(512, 512, generator=generator).cuda()
    y = torch.nn.functional.conv2d(
        torch.randn(4, 3, 64, 64, generator=generator).cuda(),
        torch.randn(8, 3, 3, 3, generator=generator).cuda(),
    )
    result = ((x @ x).sum() + y.sum()).item()
    seconds = time.perf_counter() - START
    print(
        json.dumps(
            {
                "device": torch.cuda.get_device_name(),
                "case": "import",
                "ms_per_step": round(seconds * 1e3, 3),
                "traffic": traffic(totals(), 1),
                "losses": [round(result, 1)],
            }
        ),
        flush=True,
    )


def totals():
    """Returns the counters of Outhaul's client library: messages, waits, bytes sent and received.
    Returns None natively, or if the library counts nothing."""
    numbers = (ctypes.c_uint64 * 4)()
    function = getattr(ctypes.CDLL("libcuda.so.1"), "outhaul_totals", None)
    if function is None:
        return None
    function.restype = ctypes.c_bool
    return list(numbers) if function(numbers) else None


def traffic(counted, units):
    """Returns the messages, waits and bytes of one unit of work."""
    return counted and dict(
        zip(
            ("messages", "waits", "bytes_sent", "bytes_received"),
            (count / units for count in counted),
        )
    )


def measure(case, steps):
    start = time.perf_counter()
    step = CASES[case]()
    losses = [step(i) for i in range(5)]
    torch.cuda.synchronize()
    ready = time.perf_counter()
    times, thread_times, process_times = [], [], []
    before = totals()
    for block in range(3):
        begin, thread, process = time.perf_counter(), time.thread_time(), time.process_time()
        for i in range(steps):
            last = step(i)
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) / steps * 1e3)
        thread_times.append((time.thread_time() - thread) / steps * 1e3)
        process_times.append((time.process_time() - process) / steps * 1e3)
    after = totals()
    counted = [b - a for a, b in zip(before, after)] if before and after else None
    print(
        json.dumps(
            {
                "device": torch.cuda.get_device_name(),
                "case": case,
                "ms_per_step": round(sorted(times)[1], 3),
                "blocks_ms": [round(x, 2) for x in times],
                "main_thread_ms": [round(x, 2) for x in thread_times],
                "all_threads_ms": [round(x, 2) for x in process_times],
                "warm_up_s": round(ready - start, 2),
                "traffic": traffic(counted, 3 * steps),
                "losses": [round(x.item(), 5) for x in losses] + [round(last.item(), 5)],
            }
        ),
        flush=True,
    )


for name in sys.argv[1].split(","):
    if name == "import":
        first_result()
    elif name.startswith("call-"):
        measure_call(name)
    else:
        measure(name, int(sys.argv[2]))
    torch.cuda.empty_cache()
