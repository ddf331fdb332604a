"""Production as it happens: answers come in from a log or over HTTP, a sample is graded, metrics go out."""
