"""Groups with the smallest cellular cost: size x radius plus opening costs (Aggarwal et al. 2010, section 3)."""
