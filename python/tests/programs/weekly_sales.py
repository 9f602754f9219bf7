"""A daily series as weeks: totals, trend, autocorrelation; kept in a file between."""

import os
import tempfile


def main(np):
    day = np.arange(140)
    sales = 100 + 0.5 * day + 20 * np.cos(2 * np.pi * day / 7)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sales.npy")
        np.save(path, sales)
        sales = np.load(path)
    weeks = sales.reshape(-1, 7)
    totals = weeks.sum(axis=1)
    by_weekday = weeks.mean(axis=0)
    trend = np.polyfit(day, sales, 1)[0]
    centered = sales - np.mean(sales)
    lags = [np.sum(centered[lag:] * centered[: len(centered) - lag]) for lag in range(10)]
    autocorrelation = np.array(lags) / lags[0]
    best, worst = totals.argmax(), totals.argmin()
    print(f"best week {best}, worst {worst}, trend {trend:.3f} a day")
    return totals, by_weekday, trend, autocorrelation
