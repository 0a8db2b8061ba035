"""The frozen values that packages exchange, one file for each topic."""
