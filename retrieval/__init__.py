"""Turn a question into a prompt: rank, pack and build. Pure functions, independent of the user and the model."""
