"""Lazy arrays: the class, the nodes that make it, and the functions that all others are made of."""
