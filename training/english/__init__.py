"""The little English that rewriting by rules needs: word lists, grammar, inflection, numbers in words, splicing."""
