"""The gate for pipelines that answer differently each time: BLOCK, SHIP, or not known yet and what would tell.

history.py        which step of which release this is, and what earlier steps add to it
counting.py       answers that got worse and better, and the verdicts they moved between
grader_error.py   what the grader's own errors leave of that
judging.py        the rules, with three ends
repeats.py        why repeats of a question are no questions
blocks.py         what has blocked the release before, and stands
"""
