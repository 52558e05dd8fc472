"""Where the release of a large table runs: on this computer with blocks in files, or on a Spark cluster."""
