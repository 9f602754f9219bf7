"""Continues four texts by beam search with a small Llama, by transformers' generate."""

import measure

# isort: split
import torch
from programs import decoding
from transformers import GenerationConfig

TOKENS = 32


def main():
    model = decoding.make_model()
    config = GenerationConfig(
        num_beams=4,
        do_sample=False,
        max_new_tokens=TOKENS,
        min_new_tokens=TOKENS,
        pad_token_id=0,
        eos_token_id=2,
    )
    texts = torch.randint(5, 32000, (4, 16), generator=torch.Generator().manual_seed(1))

    @torch.no_grad()
    def answer():
        ids = texts.cuda()
        out = model.generate(ids, attention_mask=torch.ones_like(ids), generation_config=config)
        return out[:, ids.shape[1] :].sum()

    measure.run("beam search", answer, wait=torch.cuda.synchronize, per=TOKENS, unit="ms/token")


if __name__ == "__main__":
    main()
