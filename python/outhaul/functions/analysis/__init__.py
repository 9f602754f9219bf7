"""Functions for data: statistics, histograms, comparisons, curves, and those that NumPy computes."""
