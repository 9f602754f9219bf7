"""Trains a BERT of four layers with the Trainer of Hugging Face, with two loader workers. By
default, the Trainer pins batches."""

import measure

# isort: split
import os
import tempfile

# With two GPUs the Trainer would use both. The first library that searches for GPUs reads this.
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")

import accelerate  # noqa: F401  the Trainer needs it
import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainingArguments,
)

BATCH, STEPS, WORDS = 32, 30, 128


def main():
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True, warn_only=True)
    model = BertForSequenceClassification(BertConfig(num_hidden_layers=4, num_labels=2))
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randint(5, 30000, (BATCH * STEPS, WORDS), generator=generator)
    examples = [
        {"input_ids": one, "attention_mask": torch.ones_like(one), "labels": int(one[0]) % 2}
        for one in tokens
    ]
    folder = tempfile.TemporaryDirectory()
    arguments = TrainingArguments(
        output_dir=folder.name,
        max_steps=STEPS,
        per_device_train_batch_size=BATCH,
        dataloader_num_workers=2,
        bf16=True,
        logging_steps=10,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )

    def training():
        trainer = Trainer(model=model, args=arguments, train_dataset=examples)
        return trainer.train().training_loss

    measure.run(
        "Hugging Face Trainer",
        training,
        wait=torch.cuda.synchronize,
        per=STEPS,
        rounds=4,
        tolerance=0.02,
    )


if __name__ == "__main__":
    main()
