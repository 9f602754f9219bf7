"""Classifies sound. Clips in fresh host memory are resampled, become mel spectrograms, and go
through a small network; the class of each clip is read back."""

import measure

# isort: split
import torch
import torchaudio
from torch import nn

CLIPS, STEPS = 32, 40


def main():
    torch.manual_seed(0)
    torch.backends.cudnn.deterministic = True
    front = nn.Sequential(
        torchaudio.transforms.Resample(44100, 16000),
        torchaudio.transforms.MelSpectrogram(16000, n_fft=1024, hop_length=256, n_mels=80),
        torchaudio.transforms.AmplitudeToDB(),
    ).cuda()
    model = nn.Sequential(
        nn.Conv1d(80, 256, 5, stride=2),
        nn.GELU(),
        nn.Conv1d(256, 256, 5, stride=2),
        nn.GELU(),
        nn.AdaptiveAvgPool1d(1),
        nn.Flatten(),
        nn.Linear(256, 35),
    ).cuda()
    generator = torch.Generator().manual_seed(1)
    sound = torch.randn(CLIPS, 44100 * 4, generator=generator) * 0.1

    @torch.no_grad()
    def step():
        clips = (sound * 0.9).cuda()
        scores = model(front(clips))
        return scores.argmax(1).cpu().sum() + scores.abs().mean().item()

    measure.run("audio", step, wait=torch.cuda.synchronize, calls=STEPS, tolerance=0.01)


if __name__ == "__main__":
    main()
