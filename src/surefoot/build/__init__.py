"""Question sets made of a corpus, and the proof that what they say of it is true."""
