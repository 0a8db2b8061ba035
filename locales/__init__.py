"""The texts that people read, in seven languages. Each language is a folder of Fluent files."""
