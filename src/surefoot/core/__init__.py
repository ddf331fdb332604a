"""What everybody may import: the vocabulary, errors, rows, the rubric, the decision table, files and intervals."""
