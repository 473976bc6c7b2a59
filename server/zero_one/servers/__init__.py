"""Transport in, conversation out, nothing else."""
