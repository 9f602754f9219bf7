"""Return and risk of a portfolio of four assets."""


def main(np):
    np.random.seed(7)
    steps = np.random.normal(0.0005, 0.01, size=(252, 4))
    prices = 100 * np.exp(np.cumsum(steps, axis=0))
    returns = np.diff(prices, axis=0) / prices[:-1]
    mean, cov = returns.mean(axis=0) * 252, np.cov(returns.T) * 252
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    value = weights @ mean
    risk = np.sqrt(np.dot(weights.T, np.dot(cov, weights)))
    best = np.linalg.inv(cov) @ np.ones(4)
    best /= best.sum()
    peak = np.maximum.accumulate(prices, axis=0)
    drawdown = np.min(prices / peak - 1, axis=0)
    print(f"return {value:.2%}, risk {risk:.2%}, Sharpe {value / risk:.2f}")
    return value, risk, best, drawdown, np.corrcoef(returns, rowvar=False)
