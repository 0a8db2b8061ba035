"""Pure functions of text in many languages. Does not know messages or stores."""
