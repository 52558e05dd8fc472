"""Smallest loss by generalization (Aggarwal et al. 2005), and the recodings in common use."""
