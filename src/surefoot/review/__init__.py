"""The review page: a local web page on which people accept, edit or reject questions that were proposed."""
