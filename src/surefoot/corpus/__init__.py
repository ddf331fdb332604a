"""Documents to passages that answers can cite."""
