"""Trains a language model of two LSTM layers on stretches of a text, with the state passed on and
gradients clipped. The loss is read every twenty steps."""

import measure

# isort: split
import torch
from torch import nn

BATCH, WORDS, WIDTH, STEPS = 64, 64, 512, 40


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(4096, WIDTH)
        self.layers = nn.LSTM(WIDTH, WIDTH, num_layers=2, dropout=0.1)
        self.head = nn.Linear(WIDTH, 4096)

    def forward(self, words, state):
        h, state = self.layers(self.embedding(words), state)
        return self.head(h), state


def main():
    torch.manual_seed(0)
    model = Model().cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    generator = torch.Generator().manual_seed(1)
    text = torch.randint(4096, (WORDS * 50 + 1, BATCH), generator=generator).cuda()

    def epoch():
        state, seen = None, 0.0
        for number in range(STEPS):
            part = text[number * WORDS : (number + 1) * WORDS + 1]
            if state is not None:
                state = tuple(one.detach() for one in state)
            scores, state = model(part[:-1], state)
            loss = nn.functional.cross_entropy(scores.flatten(0, 1), part[1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            if number % 20 == 19:
                seen += loss.item()
        return seen

    measure.run("LSTM", epoch, wait=torch.cuda.synchronize, per=STEPS, tolerance=0.01)


if __name__ == "__main__":
    main()
