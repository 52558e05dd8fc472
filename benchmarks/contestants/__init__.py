"""One script per contestant, run in its own environment: `script.py input output options`, options as JSON.

It prints the seconds of the work alone, after a first small run where something compiles, and writes what it made.
"""
