"""Everything a reviewer needs to judge a decision, in one file that is known by its hash."""
