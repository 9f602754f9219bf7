"""Ranks pages by power iteration over their links."""


def main(np):
    links = {0: [1, 2], 1: [2], 2: [0], 3: [0, 2], 4: [3, 1]}
    n = len(links)
    M = np.zeros((n, n))
    for page, targets in links.items():
        for target in targets:
            M[target, page] = 1 / len(targets)
    rank = np.ones(n) / n
    for count in range(100):
        new = 0.85 * M @ rank + 0.15 / n
        if np.linalg.norm(new - rank, 1) < 1e-6:
            break
        rank = new
    order = np.argsort(rank)[::-1]
    print(f"{count} rounds; best page {order[0]} with {rank[order[0]]:.3f}")
    return rank, order, count
