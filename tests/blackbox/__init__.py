"""The command as its users meet it: what goes in, what comes out, and the exit code."""
