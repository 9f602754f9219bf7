"""Learns to balance a pole: 64 worlds on the CPU, and a policy on the GPU whose actions are read
back in each step, with an update every 64 steps."""

import measure

# isort: split
import numpy as np
import torch
from torch import nn

WORLDS, STEPS = 64, 64


class Poles:
    """Carts with poles; one that falls starts again."""

    def __init__(self):
        self.random = np.random.default_rng(1)
        self.state = self.random.uniform(-0.05, 0.05, (WORLDS, 4))

    def step(self, actions):
        speed, angle, turn = self.state.T[1:]
        force = np.where(actions == 1, 10.0, -10.0)
        sine, cosine = np.sin(angle), np.cos(angle)
        push = (force + 0.05 * turn**2 * sine) / 1.1
        turning = (9.8 * sine - cosine * push) / (0.5 * (4 / 3 - 0.1 * cosine**2 / 1.1))
        moving = push - 0.05 * turning * cosine / 1.1
        changes = np.stack([speed, moving, turn, turning], 1)
        self.state = self.state + 0.02 * changes
        fallen = (np.abs(self.state[:, 0]) > 2.4) | (np.abs(self.state[:, 2]) > 0.21)
        fresh = self.random.uniform(-0.05, 0.05, (WORLDS, 4))
        self.state = np.where(fallen[:, None], fresh, self.state)
        return fallen


def main():
    torch.manual_seed(0)
    policy = nn.Sequential(nn.Linear(4, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
    policy = nn.Sequential(policy, nn.Linear(128, 2)).cuda()
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    generator = torch.Generator("cuda").manual_seed(2)
    worlds = Poles()

    def episode():
        chances, falls = [], []
        for _ in range(STEPS):
            seen = torch.from_numpy(worlds.state.astype(np.float32)).cuda()
            logs = policy(seen).log_softmax(1)
            actions = torch.multinomial(logs.detach().exp(), 1, generator=generator)
            chances.append(logs.gather(1, actions)[:, 0])
            falls.append(worlds.step(actions[:, 0].cpu().numpy()))
        returns, total = [], np.zeros(WORLDS)
        for fallen in reversed(falls):
            total = 1.0 + 0.99 * total * ~fallen
            returns.append(total)
        returns = torch.from_numpy(np.stack(returns[::-1]).astype(np.float32)).cuda()
        returns = (returns - returns.mean()) / (returns.std() + 1e-6)
        loss = -(torch.stack(chances) * returns).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return int(np.sum(falls)) + loss.item()

    measure.run(
        "reinforcement learning",
        episode,
        wait=torch.cuda.synchronize,
        calls=10,
        per=STEPS,
        tolerance=0.01,
    )


if __name__ == "__main__":
    main()
