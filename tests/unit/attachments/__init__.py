"""What people send along, made into text."""
