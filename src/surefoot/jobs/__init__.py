"""What Surefoot does, a function each: the command line parses options, calls one of these and shows the result."""
