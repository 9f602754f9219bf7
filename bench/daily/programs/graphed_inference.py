"""Answers requests with a ResNet-50 in one CUDA graph: copies in, replays, reads back."""

import measure

# isort: split
import torch
import torchvision

BATCH, STEPS = 8, 150


def main():
    torch.manual_seed(0)
    torch.backends.cudnn.deterministic = True
    with torch.device("cuda"):
        model = torchvision.models.resnet50(weights=None)
    model = model.half().eval().to(memory_format=torch.channels_last)
    generator = torch.Generator().manual_seed(1)
    requests = [
        torch.rand(BATCH, 3, 224, 224, generator=generator).half().pin_memory() for _ in range(4)
    ]
    given = torch.zeros(BATCH, 3, 224, 224, dtype=torch.half, device="cuda")
    given = given.to(memory_format=torch.channels_last)
    side, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.no_grad():
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                model(given)
        torch.cuda.current_stream().wait_stream(side)
        with torch.cuda.graph(graph):
            answer = model(given)
    number = 0

    def step():
        nonlocal number
        given.copy_(requests[number % len(requests)], non_blocking=True)
        number += 1
        graph.replay()
        return answer.cpu().float().abs().mean()

    measure.run("graphed inference", step, wait=torch.cuda.synchronize, calls=STEPS, tolerance=1e-3)


if __name__ == "__main__":
    main()
