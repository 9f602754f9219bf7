"""Trains ResNet-50 on batches of 64 images from pinned memory, and reads nothing back before the
end of 200 steps. The cases are bf16 from images of one byte per colour (9.6 MB a step), bf16 from
float32 images (38.5 MB a step), and fp32 from bytes, with TF32 in convolutions as is PyTorch's
default. Each case prints the median, all times in ms and a checksum."""

import sys

import torch
import torchvision

from layers import measure

STEPS, BATCH, BATCHES = 200, 64, 4


def training(images: torch.dtype, is_mixed: bool):
    torch.manual_seed(0)
    # A learning rate of 0, so that rounding that differs from run to run does not add up.
    model = torchvision.models.resnet50(weights=None).cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0, momentum=0.9)
    shape = (BATCH, 3, 224, 224)
    batches = [torch.randint(256, shape, dtype=torch.uint8).to(images) for _ in range(BATCHES)]
    batches = [batch.pin_memory() for batch in batches]
    labels = torch.randint(1000, (BATCH,), device="cuda")

    def work():
        for step in range(STEPS):
            batch = batches[step % BATCHES].cuda(non_blocking=True)
            batch = batch.to(torch.float32, memory_format=torch.channels_last) / 255
            with torch.autocast("cuda", dtype=torch.bfloat16, enabled=is_mixed):
                loss = torch.nn.functional.cross_entropy(model(batch), labels)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        return round(loss.item(), 1)

    return work


if __name__ == "__main__":
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    measure("resnet50-bf16", training(torch.uint8, is_mixed=True), times)
    measure("resnet50-bf16-float32-images", training(torch.float32, is_mixed=True), times)
    measure("resnet50-fp32", training(torch.uint8, is_mixed=False), times)
