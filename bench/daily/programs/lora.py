"""Fine-tunes a Llama of eight layers by low-rank adapters, written by hand; the rest is frozen."""

import measure

# isort: split
import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM

RANK, STEPS = 8, 15


class Adapted(nn.Module):
    def __init__(self, frozen: nn.Linear):
        super().__init__()
        self.frozen = frozen
        self.down = nn.Linear(frozen.in_features, RANK, bias=False, device="cuda")
        self.up = nn.Linear(RANK, frozen.out_features, bias=False, device="cuda")
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return self.frozen(x) + self.up(self.down(x.float())).to(x.dtype) * 2


def main():
    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=1024,
        intermediate_size=2816,
        num_hidden_layers=8,
        num_attention_heads=16,
        num_key_value_heads=16,
        vocab_size=32000,
    )
    with torch.device("cuda"):
        model = LlamaForCausalLM(config).to(torch.bfloat16).train()
    model.requires_grad_(False)
    for layer in model.model.layers:
        for name in ("q_proj", "v_proj"):
            setattr(layer.self_attn, name, Adapted(getattr(layer.self_attn, name)))
    trained = [one for one in model.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-3)
    generator = torch.Generator().manual_seed(1)
    batches = [torch.randint(32000, (4, 512), generator=generator) for _ in range(8)]
    number = 0

    def step():
        nonlocal number
        tokens = batches[number % len(batches)].cuda()
        number += 1
        loss = model(input_ids=tokens, labels=tokens, use_cache=False).loss
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        return loss

    measure.run("LoRA", step, wait=torch.cuda.synchronize, calls=STEPS, tolerance=0.02)


if __name__ == "__main__":
    main()
