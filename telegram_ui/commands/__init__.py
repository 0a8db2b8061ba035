"""The families of commands and buttons, one file each."""
