"""Measure the program with a real model at a running endpoint. `python -m benchmarks.real`"""
