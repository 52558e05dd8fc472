"""Files and frames in, files and frames out."""
