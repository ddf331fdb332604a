"""How far a grader can be trusted: its verdicts held against people's labels. Pure: no files, no clock, fixed seeds."""
