"""Finds objects in pictures: selects scores above a threshold by boolean indexing, suppresses
non-maxima in each picture, and reads back lists of various lengths."""

import measure

# isort: split
import torch
import torchvision

PICTURES, STEPS = 8, 20


def main():
    torch.manual_seed(0)
    torch.backends.cudnn.deterministic = True
    with torch.device("cuda"):
        network = torchvision.models.resnet18(weights=None)
        head = torch.nn.Conv2d(256, 9 * 5, 1)
    backbone = torch.nn.Sequential(*list(network.children())[:-3], head).eval()
    images = torch.rand(PICTURES, 3, 512, 512, generator=torch.Generator().manual_seed(1))
    images = images.pin_memory()
    places = torch.arange(32, device="cuda") * 16.0
    centers = torch.cartesian_prod(places, places).repeat_interleave(9, 0)
    sides = torch.tensor([16.0, 32, 48, 64, 96, 128, 160, 192, 256], device="cuda").repeat(1024)

    @torch.no_grad()
    def step():
        out = backbone(images.cuda(non_blocking=True)).permute(0, 2, 3, 1).reshape(PICTURES, -1, 5)
        scores = out[..., 0] - out[..., 0].mean(1, keepdim=True)
        middles = centers + out[..., 1:3] * 8
        halves = (sides[:, None] * 0.5) * out[..., 3:5].clamp(-1, 1).exp()
        boxes = torch.cat([middles - halves, middles + halves], -1)
        found = []
        for picture in range(PICTURES):
            likely = scores[picture] > scores[picture].std()
            some, certain = boxes[picture][likely], scores[picture][likely]
            kept = torchvision.ops.nms(some, certain, 0.5)[:200]
            found.append(torch.cat([some[kept], certain[kept][:, None]], 1).cpu())
        return sum(float(one.abs().mean()) for one in found) + sum(map(len, found))

    measure.run("detection", step, wait=torch.cuda.synchronize, calls=STEPS, tolerance=0.01)


if __name__ == "__main__":
    main()
