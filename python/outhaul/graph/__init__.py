"""From lazy arrays to a graph of subtasks, and what it will cost."""
