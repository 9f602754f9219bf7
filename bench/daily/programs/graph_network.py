"""Trains a graph convolution network of two layers; its graph is a sparse matrix in CSR."""

import measure

# isort: split
import torch
from torch import nn

NODES, EDGES, WIDTH, STEPS = 100_000, 800_000, 128, 40


class Spread(torch.autograd.Function):
    """The product with a symmetric sparse matrix, whose gradient is the same product."""

    @staticmethod
    def forward(context, matrix, x):
        context.matrix = matrix
        return matrix @ x

    @staticmethod
    def backward(context, gradient):
        return None, context.matrix @ gradient


def main():
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(1)
    ends = torch.randint(NODES, (2, EDGES), generator=generator)
    loops = torch.arange(NODES).expand(2, NODES)
    ends = torch.cat([ends, ends.flip(0), loops], 1).cuda()
    ones = torch.ones(ends.shape[1], device="cuda")
    degrees = torch.zeros(NODES, device="cuda").scatter_add_(0, ends[0], ones)
    values = (degrees[ends[0]] * degrees[ends[1]]).rsqrt()
    matrix = torch.sparse_coo_tensor(ends, values, (NODES, NODES)).coalesce().to_sparse_csr()
    x = torch.randn(NODES, WIDTH, generator=generator).cuda()
    classes = torch.randint(10, (NODES,), generator=generator).cuda()
    first, second = nn.Linear(WIDTH, WIDTH).cuda(), nn.Linear(WIDTH, 10).cuda()
    optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=0.01)

    def step():
        h = torch.relu(first(Spread.apply(matrix, x)))
        scores = second(Spread.apply(matrix, h))
        loss = nn.functional.cross_entropy(scores, classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    measure.run("GCN", step, wait=torch.cuda.synchronize, calls=STEPS, tolerance=1e-3)


if __name__ == "__main__":
    main()
