"""Functions for data: statistics, histograms, comparisons, curves; and those that NumPy itself
computes."""
