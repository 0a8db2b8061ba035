"""When and what to fold: interchangeable pure planners, state → plan or None."""
