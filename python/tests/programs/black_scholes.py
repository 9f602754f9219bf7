"""Prices of options by formula and by simulation."""


def normal_cdf(np, x):
    t = 1 / (1 + 0.2316419 * np.abs(x))
    series = t * (
        0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))
    )
    tail = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) * series
    return np.where(x >= 0, 1 - tail, tail)


def main(np):
    spot, rate, sigma, years = 100.0, 0.03, 0.2, 1.0
    strikes = np.arange(80, 125, 5)
    d1 = (np.log(spot / strikes) + (rate + sigma**2 / 2) * years) / (sigma * np.sqrt(years))
    d2 = d1 - sigma * np.sqrt(years)
    call = spot * normal_cdf(np, d1) - strikes * np.exp(-rate * years) * normal_cdf(np, d2)
    np.random.seed(11)
    z = np.random.standard_normal(20000)
    end = spot * np.exp((rate - sigma**2 / 2) * years + sigma * np.sqrt(years) * z)
    simulated = np.array(
        [np.exp(-rate * years) * np.maximum(end - strike, 0).mean() for strike in strikes]
    )
    assert np.max(np.abs(call - simulated)) < 0.5
    return call, simulated
