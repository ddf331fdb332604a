"""Pipelines: what is asked, as a function, a command, an address, a log, a chat model, or the one in the box."""
