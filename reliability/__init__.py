"""Whether the promises hold when things break: crash test and soak. Everything here looks from outside."""
