"""Answers requests with a small transformer whose kernels torch.compile makes; the first call
compiles."""

import measure

# isort: split
import torch
from torch import nn

WIDTH, HEADS, BATCH, WORDS, STEPS = 512, 8, 16, 196, 100


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
        self.joint, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        parts = self.joint(self.norms[0](x)).view(BATCH, WORDS, 3, HEADS, -1)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        h = nn.functional.scaled_dot_product_attention(q, k, v)
        x = x + self.out(h.transpose(1, 2).reshape(x.shape))
        return x + self.narrow(nn.functional.gelu(self.wide(self.norms[1](x))))


def main():
    torch.manual_seed(0)
    model = nn.Sequential(*(Layer() for _ in range(4)), nn.Linear(WIDTH, 1000))
    model = torch.compile(model.cuda().bfloat16().eval())
    x = torch.randn(BATCH, WORDS, WIDTH, generator=torch.Generator().manual_seed(1))
    x = x.bfloat16().pin_memory()

    @torch.no_grad()
    def step():
        return model(x.cuda(non_blocking=True)).float().mean(1).cpu().abs().mean()

    measure.run(
        "compiled inference", step, wait=torch.cuda.synchronize, calls=STEPS, tolerance=0.01
    )


if __name__ == "__main__":
    main()
