"""Conway's game of life: a glider on a torus."""


def step(np, board):
    neighbours = sum(
        np.roll(np.roll(board, dy, 0), dx, 1)
        for dy in (-1, 0, 1)
        for dx in (-1, 0, 1)
        if (dy, dx) != (0, 0)
    )
    return ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype(int)


def main(np):
    board = np.zeros((12, 12), dtype=int)
    board[1:4, 1:4] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
    for _ in range(4):
        board = step(np, board)
    for row in board:
        print("".join("#" if cell else "." for cell in row))
    return board, board.sum()
