"""Samples 48 tokens from a small Llama, one at a time with a cache, and reads each back."""

import measure

# isort: split
import torch
from transformers import LlamaConfig, LlamaForCausalLM

TOKENS = 48


def make_model():
    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=1024,
        intermediate_size=2816,
        num_hidden_layers=8,
        num_attention_heads=16,
        num_key_value_heads=4,
        vocab_size=32000,
        max_position_embeddings=2048,
    )
    with torch.device("cuda"):  # a CPU takes long to generate so many weights
        return LlamaForCausalLM(config).to(torch.bfloat16).eval()


def main():
    model = make_model()

    @torch.no_grad()
    def answer():
        generator = torch.Generator("cuda").manual_seed(7)
        ids, cache, total = torch.arange(5, 21, device="cuda")[None], None, 0
        for place in range(TOKENS):
            out = model(input_ids=ids, past_key_values=cache, use_cache=True)
            cache = out.past_key_values
            likely, tokens = (out.logits[:, -1].float() / 0.8).topk(50)
            drawn = torch.multinomial(likely.softmax(-1), 1, generator=generator)
            ids = tokens.gather(1, drawn)
            total += (place + 1) * ids.item()
        return total

    measure.run(
        "sampled decoding", answer, wait=torch.cuda.synchronize, per=TOKENS, unit="ms/token"
    )


if __name__ == "__main__":
    main()
