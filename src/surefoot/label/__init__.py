"""The label page: a local web page on which people put answers into buckets, without knowing what a grader thinks."""
