"""Samples pictures by diffusion: fifty steps of a small U-Net in fp16, the pictures read back."""

import measure

# isort: split
import math

import torch
from torch import nn

STEPS = 50


class Block(nn.Module):
    def __init__(self, inside: int, outside: int, attends: bool = False):
        super().__init__()
        self.norms = nn.ModuleList([nn.GroupNorm(8, inside), nn.GroupNorm(8, outside)])
        self.convolutions = nn.ModuleList(
            [nn.Conv2d(inside, outside, 3, padding=1), nn.Conv2d(outside, outside, 3, padding=1)]
        )
        self.time = nn.Linear(256, outside)
        self.skip = nn.Conv2d(inside, outside, 1)
        self.attention = nn.MultiheadAttention(outside, 8, batch_first=True) if attends else None

    def forward(self, x, time):
        h = self.convolutions[0](nn.functional.silu(self.norms[0](x)))
        h = h + self.time(time)[:, :, None, None]
        h = self.convolutions[1](nn.functional.silu(self.norms[1](h))) + self.skip(x)
        if self.attention is not None:
            rows = h.flatten(2).transpose(1, 2)
            rows = rows + self.attention(rows, rows, rows, need_weights=False)[0]
            h = rows.transpose(1, 2).reshape(h.shape)
        return h


class UNet(nn.Module):
    def __init__(self, widths=(64, 128, 256)):
        super().__init__()
        self.first = nn.Conv2d(3, widths[0], 3, padding=1)
        pairs = list(zip((widths[0], *widths), widths))
        self.down = nn.ModuleList([Block(a, b) for a, b in pairs])
        self.middle = Block(widths[-1], widths[-1], attends=True)
        self.up = nn.ModuleList([Block(b + b, a) for a, b in reversed(pairs)])
        self.last = nn.Conv2d(widths[0], 3, 3, padding=1)

    def forward(self, x, t):
        rates = torch.exp(torch.arange(128, device=x.device) * (-math.log(10000) / 128))
        time = torch.cat([(t * rates).sin(), (t * rates).cos()])[None].to(x.dtype)
        x, kept = self.first(x), []
        for block in self.down:
            x = block(x, time)
            kept.append(x)
            x = nn.functional.avg_pool2d(x, 2)
        x = self.middle(x, time)
        for block in self.up:
            x = nn.functional.interpolate(x, scale_factor=2.0)
            x = block(torch.cat([x, kept.pop()], 1), time)
        return self.last(x)


def main():
    torch.manual_seed(0)
    torch.backends.cudnn.deterministic = True
    model = UNet().cuda().half().eval()
    kept = torch.cos(torch.linspace(0, 1.5, STEPS + 1, dtype=torch.float64)).square().tolist()

    @torch.no_grad()
    def sample():
        x = torch.randn(4, 3, 64, 64, generator=torch.Generator().manual_seed(3)).cuda().half()
        for i in reversed(range(STEPS)):
            noise = model(x, float(i))
            clean = (x - math.sqrt(1 - kept[i + 1]) * noise) / math.sqrt(kept[i + 1])
            clean = clean.clamp(-3, 3)
            x = math.sqrt(kept[i]) * clean + math.sqrt(1 - kept[i]) * noise
        return x.float().cpu().abs().mean()

    measure.run(
        "diffusion", sample, wait=torch.cuda.synchronize, calls=2, per=STEPS, tolerance=0.01
    )


if __name__ == "__main__":
    main()
