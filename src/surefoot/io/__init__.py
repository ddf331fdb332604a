"""Reading what users have: question sets, traces in every shape, gate files. Nothing is dropped in silence."""
