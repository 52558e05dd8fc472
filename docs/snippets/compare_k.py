"""What would each k cost? Nothing is released."""

import shoal
from shoal.datasets import hospital

comparison = shoal.compare(
    hospital(500).select("birth_date", "sex", "zip", "diagnosis"),
    quasi=["birth_date", "sex", "zip"],
    sensitive=["diagnosis"],
    k=[2, 5, 10],
)
print(comparison.table.select("k", "n_groups", "loss", "highest_risk"))
losses = comparison.table["loss"].to_list()
assert losses == sorted(losses)
comparison.write_html("comparison.html")
