"""The page of one's memory."""
