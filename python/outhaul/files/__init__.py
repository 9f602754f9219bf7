"""Readers and writers of partitions in files and in host memory."""
