"""Fixtures and settings of every test."""

import hypothesis

# The suite tries the same examples every time: a change is refused for what it did, not for its luck; `make fuzz` looks
# further, at random. How long an example takes says more about the machine than about the code; benchmarks measure
# time.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, derandomize=False, max_examples=2000, print_blob=True)
hypothesis.settings.load_profile("same")
