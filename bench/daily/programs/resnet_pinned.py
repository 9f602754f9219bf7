"""Trains ResNet-50 in bf16 from a DataLoader with four workers that pins its batches."""

import measure

# isort: split
import torch
import torchvision
from torch.utils.data import DataLoader, Dataset

BATCH, PICTURES = 64, 1024


class Pictures(Dataset):
    """Pictures in bytes: each is one of 256, unchanged or mirrored."""

    def __init__(self, count: int):
        generator = torch.Generator().manual_seed(1)
        shape = (256, 3, 224, 224)
        self.bank = torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        picture = self.bank[index % len(self.bank)]
        mirrored = index // len(self.bank) % 2
        return picture.flip(-1) if mirrored else picture, index % 1000


def main(name="resnet, pinned loader", pin_memory=True):
    torch.manual_seed(0)
    torch.backends.cudnn.deterministic = True
    with torch.device("cuda"):
        model = torchvision.models.resnet50(weights=None)
    model = model.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loader = DataLoader(
        Pictures(PICTURES), BATCH, shuffle=True, num_workers=4, pin_memory=pin_memory
    )

    def epoch():
        for images, labels in loader:
            images = images.to("cuda", non_blocking=True)
            images = images.to(memory_format=torch.channels_last).float().div_(255)
            labels = labels.to("cuda", non_blocking=True)
            with torch.autocast("cuda", torch.bfloat16):
                loss = torch.nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        return loss

    measure.run(name, epoch, wait=torch.cuda.synchronize, per=PICTURES // BATCH, tolerance=0.02)


if __name__ == "__main__":
    main()
