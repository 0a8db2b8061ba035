"""Pure text functions for many languages. Independent of messages and stores."""
