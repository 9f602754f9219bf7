"""Trains ResNet-50 in bf16 from a DataLoader with four workers that does not pin its batches."""

from programs import resnet_pinned

if __name__ == "__main__":
    resnet_pinned.main("resnet, pageable loader", pin_memory=False)
