"""What a user sees of a run: a progress bar, a trace and pictures."""
