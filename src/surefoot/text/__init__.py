"""Reading plain text: refusals, citations, claim phrases. Pure functions, linear time."""
