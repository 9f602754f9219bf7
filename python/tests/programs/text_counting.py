"""Counts letters and words of a text."""

TEXT = "the quick brown fox jumps over the lazy dog and the dog sleeps while the fox runs"


def main(np):
    codes = np.frombuffer(TEXT.encode(), dtype=np.uint8)
    letters = codes[(codes >= 97) & (codes <= 122)] - 97
    counts = np.bincount(letters, minlength=26)
    frequency = counts / counts.sum()
    top = np.argsort(-counts, kind="stable")[:5]
    entropy = -np.sum(frequency[frequency > 0] * np.log2(frequency[frequency > 0]))
    words, number = np.unique(np.array(TEXT.split()), return_counts=True)
    print("".join(chr(97 + i) for i in top), f"{entropy:.2f} bits")
    return counts, top, entropy, number.max(), words[np.argmax(number)] == "the"
