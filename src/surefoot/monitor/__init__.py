"""Watching production: answers come in from logs or over HTTP, a sample is graded without personal data, and an alarm
is raised when they get worse. `monitor.py` has the loop, `state.py` the one file that survives a kill."""
