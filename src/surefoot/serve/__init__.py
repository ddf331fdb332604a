"""The pages on which people look at the runs of a project."""
