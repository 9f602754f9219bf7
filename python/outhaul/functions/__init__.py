"""NumPy's functions of lazy arrays, by subject."""
