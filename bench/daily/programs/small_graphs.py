"""Captures many small CUDA graphs, each of forty kernels, and replays each once."""

import measure

# isort: split
import torch

GRAPHS, KERNELS = 100, 40


def main():
    x = torch.zeros(4096, device="cuda")
    # Loads the code of captured kernels beforehand.
    x.add_(1)
    side = torch.cuda.Stream()

    def step():
        x.zero_()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for number in range(GRAPHS):
                graph = torch.cuda.CUDAGraph()
                # torch.cuda.graph collects garbage each time, which takes longer than the rest.
                graph.capture_begin()
                for _ in range(KERNELS):
                    x.add_(number)
                graph.capture_end()
                graph.replay()
        torch.cuda.current_stream().wait_stream(side)
        return x.sum().item()

    measure.run(
        "small graphs",
        step,
        wait=torch.cuda.synchronize,
        calls=8,
        per=GRAPHS,
        unit="ms/graph",
        rounds=6,
    )


if __name__ == "__main__":
    main()
