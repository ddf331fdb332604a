"""How the weights of the local grader are made: `python -m training DATA WORK ...` does all of it, see README.md."""
