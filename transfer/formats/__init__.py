"""Files from elsewhere, each format read into the same values; pure: bytes in, Past out, or a sentence why not."""
