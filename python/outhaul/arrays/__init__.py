"""Lazy arrays: the class, the nodes that make them, and the functions behind all others."""
