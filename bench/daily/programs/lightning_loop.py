"""Trains with Lightning in fp16 with a scaler, gradient clipping and a loss that is logged every
ten steps. Without Lightning, a loop does the same."""

import measure

# isort: split
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BATCH, STEPS, LOG_EVERY = 128, 100, 10

try:
    import lightning
except ModuleNotFoundError:
    lightning = None


def make_model():
    layers = [nn.Linear(512, 1024), nn.GELU(), nn.LayerNorm(1024), nn.Dropout(0.1)]
    for _ in range(4):
        layers += [nn.Linear(1024, 1024), nn.GELU(), nn.LayerNorm(1024), nn.Dropout(0.1)]
    return nn.Sequential(*layers, nn.Linear(1024, 10))


def by_lightning(model, loader):
    class Logger(lightning.Callback):
        def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
            if batch_idx % LOG_EVERY == LOG_EVERY - 1:
                module.logged = outputs["loss"].item()

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = model

        def training_step(self, batch, batch_idx):
            x, y = batch
            loss = nn.functional.cross_entropy(self.model(x), y)
            self.log("loss", loss)
            return loss

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), lr=1e-4)

    module = Module()

    def epoch():
        lightning.Trainer(
            accelerator="gpu",
            devices=1,
            max_epochs=1,
            precision="16-mixed",
            gradient_clip_val=1.0,
            log_every_n_steps=LOG_EVERY,
            callbacks=[Logger()],
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        ).fit(module, loader)
        return module.logged

    return epoch


def by_hand(model, loader):
    model.cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    scaler = torch.amp.GradScaler("cuda")

    def epoch():
        for number, (x, y) in enumerate(loader):
            x, y = x.cuda(), y.cuda()
            with torch.autocast("cuda", torch.float16):
                loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            if number % LOG_EVERY == LOG_EVERY - 1:
                logged = loss.item()
        return logged

    return epoch


def main():
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(BATCH * STEPS, 512, generator=generator)
    y = torch.randint(10, (BATCH * STEPS,), generator=generator)
    loader = DataLoader(TensorDataset(x, y), BATCH, shuffle=True)
    work = (by_lightning if lightning else by_hand)(make_model(), loader)
    name = "Lightning" if lightning else "a loop as Lightning's"
    measure.run(name, work, wait=torch.cuda.synchronize, per=STEPS, tolerance=0.02)


if __name__ == "__main__":
    main()
