"""Trains ResNet-50 under deterministic settings and prints the bits of every loss, so that two runs
can be compared.

    curve.py STEPS      reads the batch from pinned memory in each step, and the loss in every tenth
"""

import os
import sys

os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"

import torch
import torchvision

torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
torch.backends.cudnn.benchmark = False
model = torchvision.models.resnet50(weights=None).cuda().to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
generator = torch.Generator().manual_seed(1)
batches = [
    (
        torch.randint(
            0, 256, (64, 3, 224, 224), dtype=torch.uint8, generator=generator
        ).pin_memory(),
        torch.randint(0, 1000, (64,), generator=generator).pin_memory(),
    )
    for _ in range(4)
]
losses = []
for step in range(int(sys.argv[1])):
    images, labels = (part.to("cuda", non_blocking=True) for part in batches[step % len(batches)])
    x = images.to(memory_format=torch.channels_last).float().div_(255)
    with torch.autocast("cuda", torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(model(x), labels)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    losses.append(loss.detach())
    if step % 10 == 9:
        print(f"step {step + 1}: {loss.item():.5f}", file=sys.stderr, flush=True)
print("\n".join(loss.item().hex() for loss in losses))
