"""What holds for every test."""

import hypothesis

# How long an example takes says more about the machine than about the code; benchmarks measure time.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")
