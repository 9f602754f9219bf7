"""Functions of partitions, which subtasks apply on GPUs."""
