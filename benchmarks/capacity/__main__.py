"""`python -m benchmarks.capacity`: see reckoning.py."""

from benchmarks.capacity.reckoning import main

if __name__ == "__main__":
    main()
