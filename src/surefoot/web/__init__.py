"""The web app: runs, answers to look at, questions to review; who may use it, and how it is served."""
