"""The groups of commands and buttons, one file each."""
