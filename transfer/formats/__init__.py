"""The formats of files that can be imported, one file each."""
