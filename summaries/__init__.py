"""Plan, generate and check summaries. This package knows nothing of stores or schedules."""
