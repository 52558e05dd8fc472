"""Groups of points: an array in, a group for each point out, by the program that is asked for."""

import os

import numpy as np
from _play import asked, play


def shoal(k, method, **options):
    from shoal.partition import microaggregate

    threads = {} if method == "optimal" else {"n_threads": os.cpu_count() or 1}
    return lambda points: microaggregate(points, k, method=method, bound=False, **threads, **options).labels


def plain_mdav(k):
    """As published, one pass over the points left for each search, in compiled code: the quadratic reference."""
    from tests.oracles.mdav import plain_mdav as passes

    return lambda points: passes(points, k)


def microagg1d(k):
    from microagg1d import univariate_microaggregation

    return lambda points: univariate_microaggregation(points[:, 0], k)


def kmeans_constrained(k):
    """As many clusters as a smallest size of k allows."""
    from k_means_constrained import KMeansConstrained

    return lambda points: KMeansConstrained(len(points) // k, size_min=k, random_state=0, n_init=1).fit_predict(
        points
    )


def sklearn(k):
    """Plain k-means with n / k clusters: nothing keeps them at k."""
    from sklearn.cluster import KMeans

    return lambda points: KMeans(len(points) // k, random_state=0, n_init=1).fit_predict(points)


PROGRAMS = {made.__name__: made for made in (shoal, plain_mdav, microagg1d, kmeans_constrained, sklearn)}


def main() -> None:
    source, target, options = asked()
    points = np.load(source)
    group = PROGRAMS[options.pop("program")](**options)
    np.save(target, play(lambda: group(points), lambda: group(points[: 50 * options["k"]])))


if __name__ == "__main__":
    main()
