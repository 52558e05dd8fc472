"""How many people share what may be known of a person's items: the fewest, over all combinations of at most m."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels.rare_combinations import fewest_owners
from shoal.partition.set_values.items import Items
from shoal.partition.set_values.recode import check_work, joined_records

Ints = npt.NDArray[np.int64]


def fewest_sharers(items: Items, classes: Ints, people: Ints | None, *, m: int) -> Ints:
    """Return, for every record, the fewest people of its class who share one of its combinations of up to `m` items.

    All people of a class share the combination of no items. With `people`, the items of all records of a person in
    the class are known together.
    """
    check_work(items, people, m)
    owner = np.arange(len(items), dtype=np.int64) if people is None else people.astype(np.int64)
    order = np.lexsort((owner, classes))
    own, of_class, whose = items.taken(order), classes[order], owner[order]
    opens = np.ones(len(order), dtype=bool)
    opens[1:] = (of_class[1:] != of_class[:-1]) | (whose[1:] != whose[:-1])
    number = np.unique(of_class, return_inverse=True)[1].reshape(-1)
    fewest = np.bincount(number, weights=opens).astype(np.int64)[number]
    # an item of one class and the same item of another are two items, so all classes are counted at once
    pairs = np.repeat(number, own.sizes) * max(len(items.names), 1) + own.codes
    different, codes = np.unique(pairs, return_inverse=True)
    codes = codes.reshape(-1).astype(np.int64)
    for size in range(1, m + 1):
        fewest_owners(own.start, codes, whose, len(different), size, fewest)
    joint = None if people is None else joined_records(of_class, whose, own, codes)
    if joint is not None:
        person = np.cumsum(opens) - 1
        least = np.full(int(person[-1]) + 1, np.iinfo(np.int64).max)
        np.minimum.at(least, person, fewest)
        for size in range(2, m + 1):
            fewest_owners(*joint, np.arange(len(least)), len(different), size, least)
        fewest = np.minimum(fewest, least[person])
    found = np.empty(len(order), dtype=np.int64)
    found[order] = fewest
    return found
