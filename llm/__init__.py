"""The models that answer, summarise and embed: interchangeable, each behind a small protocol."""
