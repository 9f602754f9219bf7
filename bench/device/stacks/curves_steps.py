"""Loss curves of training runs under deterministic settings. Native and remote ones must be equal
bit for bit."""

import hashlib
import os
import struct

os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"

import torch
import torchvision

import steps

STEPS = 30


def curve(name, batch, size, dtype):
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = False
    options = {"aux_logits": False, "init_weights": False} if name == "inception_v3" else {}
    model = (
        getattr(torchvision.models, name)(weights=None, **options)
        .cuda()
        .to(memory_format=torch.channels_last)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    generator = torch.Generator().manual_seed(1)
    images = torch.randint(
        0, 256, (batch, 3, size, size), dtype=torch.uint8, generator=generator
    ).pin_memory()
    labels = torch.randint(0, 1000, (batch,), generator=generator).pin_memory()
    losses = []
    for _ in range(STEPS):
        x = (
            images.to("cuda", non_blocking=True)
            .to(memory_format=torch.channels_last)
            .float()
            .div_(255)
        )
        with torch.autocast("cuda", dtype, enabled=dtype is not torch.float32):
            loss = torch.nn.functional.cross_entropy(model(x), labels.to("cuda", non_blocking=True))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    losses = [x.item() for x in losses]
    bits = hashlib.sha256(struct.pack(f"<{STEPS}d", *losses)).hexdigest()[:12]
    return f"{losses[0]:.5f} to {losses[-1]:.5f}, {bits}"


steps.run(
    {
        "ResNet-50 bf16": lambda: curve("resnet50", 64, 224, torch.bfloat16),
        "ResNet-50 fp32": lambda: curve("resnet50", 64, 224, torch.float32),
        "Inception-v3 bf16": lambda: curve("inception_v3", 64, 299, torch.bfloat16),
        "Inception-v3 fp32": lambda: curve("inception_v3", 64, 299, torch.float32),
    }
)
