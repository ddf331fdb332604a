"""Several reviewers score several answers: ballots are read, capped, put in order, and checked for bias."""
