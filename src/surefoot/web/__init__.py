"""What every page has in common: who may use it, how it is served, and passages as a person reads them."""
