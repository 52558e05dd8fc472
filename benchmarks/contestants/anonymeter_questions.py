"""anonymeter's singling out, linkability and inference on a table that it can read: plain values and no ranges."""

import logging
import warnings
from typing import Any

import pandas as pd
from _play import asked, play
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

LEVEL = 0.95


def main() -> None:
    source, _, options = asked()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    tables = {
        name: pd.read_csv(f"{source}/{name}.csv").astype(
            dict.fromkeys(options["labels"], "object") | dict.fromkeys(options["numbers"], "float64")
        )
        for name in ("original", "control", "released")
    }
    given = {"ori": tables["original"], "syn": tables["released"], "control": tables["control"]}
    given["n_attacks"] = options["attacks"]

    def work() -> list[dict[str, Any]]:
        return [_answer(question, given) for question in options["questions"]]

    play(work, answer=list)


def _answer(question: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return the rates and the risk, each with the ends of its interval of 95 %; what went wrong if it did."""
    try:
        if question["name"] == "singling out":
            evaluator: Any = SinglingOutEvaluator(**given, n_cols=question["n_cols"], seed=0)
            evaluator.evaluate(mode="multivariate")
        elif question["name"] == "linkability":
            evaluator = LinkabilityEvaluator(**given, aux_cols=tuple(question["parts"]), n_neighbors=1)
            evaluator.evaluate(n_jobs=1)
        else:
            secret = question["column"]
            known = [column for column in given["ori"].columns if column != secret]
            evaluator = InferenceEvaluator(**given, aux_cols=known, secret=secret)
            evaluator.evaluate(n_jobs=1)
        results, risk = evaluator.results(LEVEL), evaluator.risk(LEVEL)
    except (RuntimeError, ValueError) as refused:
        return {"refused": str(refused).splitlines()[0]}
    return {
        **{
            name: [rate.value, rate.value - rate.error, rate.value + rate.error]
            for name, rate in (
                ("success", results.attack_rate), ("naive", results.baseline_rate), ("control", results.control_rate)
            )
        },
        "risk": [risk.value, *risk.ci],
    }  # fmt: skip


if __name__ == "__main__":
    main()
