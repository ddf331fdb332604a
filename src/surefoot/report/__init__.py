"""What is shown of results: built of blocks once, then written for a terminal, as Markdown or as a page."""
