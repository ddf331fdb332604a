"""Running work over many blocks: on one machine now, the same seam serves a cluster."""
