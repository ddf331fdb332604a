"""Several reviewers score several answers: ballots are read, weighed, capped, put in order, and looked at for bias."""
