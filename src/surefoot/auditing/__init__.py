"""Everything a reviewer needs to judge a decision, in one file that is signed by its hash."""
