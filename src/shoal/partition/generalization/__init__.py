"""Groups with the smallest generalization cost (Aggarwal et al. 2005), and recodings in common use."""
