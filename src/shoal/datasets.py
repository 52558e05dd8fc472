"""A generated hospital table to try Shoal on. None of the people in it exist."""

from __future__ import annotations

import datetime as dt

import numpy as np
import numpy.typing as npt
import polars as pl

_WOMEN = (
    "Ada Anna Aylin Bea Clara Dilek Edith Elif Emma Fatima Frida Greta Hana Ida Ines Jana Karin Lea Lina Maria Mei "
    "Mila Nadia Nora Olga Paula Rosa Sara Sofia Vera"
)
_MEN = (
    "Adam Ali Anton Ben Carl David Emil Emre Felix Finn Georg Hans Ivan Jan Jonas Karim Kurt Leo Luis Marc Milan "
    "Nils Omar Otto Paul Peter Ravi Samir Tom Yusuf"
)
_FAMILY = (
    "Adler Arslan Bauer Becker Berger Brandt Costa Demir Diaz Fischer Fuchs Garcia Hahn Haddad Hoffmann Horvat Jung "
    "Kaya Keller Koch Kowalski Lang Lehmann Mayer Moreau Nguyen Novak Petrov Richter Rossi Sato Schmidt Schulz Silva "
    "Singh Torres Vogel Wagner Weber Wolf Yilmaz Ziegler"
)
# ward: mean length of stay in days
_WARDS = {
    "cardiology": 5.0,
    "gynaecology": 3.0,
    "internal medicine": 4.0,
    "neurology": 6.0,
    "oncology": 7.0,
    "orthopaedics": 6.0,
    "psychiatry": 18.0,
    "surgery": 4.0,
}
# diagnosis: ward, frequency, age at which it peaks, width of the peak in years, weight for women and for men
_DIAGNOSES: dict[str, tuple[str, float, float, float, float, float]] = {
    "pneumonia": ("internal medicine", 9, 70, 30, 1, 1.2),
    "heart failure": ("cardiology", 9, 80, 13, 1, 1.1),
    "atrial fibrillation": ("cardiology", 7, 75, 14, 1, 1.2),
    "hip fracture": ("orthopaedics", 6, 84, 11, 2, 0.8),
    "gallstones": ("surgery", 6, 52, 15, 1.6, 0.8),
    "stroke": ("neurology", 5, 76, 15, 1, 1.1),
    "osteoarthritis": ("orthopaedics", 5, 70, 12, 1.4, 1),
    "diabetes": ("internal medicine", 5, 66, 18, 1, 1.2),
    "heart attack": ("cardiology", 4, 68, 14, 0.6, 1.5),
    "appendicitis": ("surgery", 4, 18, 15, 1, 1.1),
    "childbirth": ("gynaecology", 14, 31, 5, 2, 0),
    "depression": ("psychiatry", 4, 42, 15, 1.4, 0.9),
    "alcohol dependence": ("psychiatry", 4, 48, 14, 0.5, 1.6),
    "breast cancer": ("oncology", 3, 64, 13, 2, 0.02),
    "prostate cancer": ("oncology", 3, 71, 9, 0, 2),
    "lung cancer": ("oncology", 3, 69, 10, 0.8, 1.3),
    "epilepsy": ("neurology", 2, 30, 30, 1, 1),
    "schizophrenia": ("psychiatry", 1.5, 36, 14, 0.8, 1.2),
    "multiple sclerosis": ("neurology", 1, 42, 12, 1.5, 0.6),
    "HIV infection": ("internal medicine", 0.6, 44, 12, 0.5, 1.7),
}
_YEAR = 2024
_MISSING = {"zip": 0.01, "height_cm": 0.03, "weight_kg": 0.04, "diagnosis": 0.005, "length_of_stay": 0.02}

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def hospital(n_people: int = 2000, seed: int = 1) -> pl.DataFrame:
    """Return one hospital stay for each of `n_people` generated people; the same table for the same arguments.

    Ages, body measures, wards and diagnoses are related as in real data: frequencies of diagnoses are skewed and
    depend on age and sex. Zip codes are text with leading zeros. Some cells are missing.
    """
    rng = np.random.default_rng(seed)
    female = rng.random(n_people) < 0.53
    old = rng.random(n_people) < 0.7
    age = np.clip(np.abs(np.where(old, rng.normal(67, 16, n_people), rng.normal(32, 13, n_people))), 0, 101)
    admitted = (dt.date(_YEAR, 1, 1) - dt.date(1970, 1, 1)).days + rng.integers(0, 366, n_people)
    diagnosis = _diagnoses(rng, age, female)
    wards = [ward for ward, *_ in _DIAGNOSES.values()]
    usual_stay = np.array([_WARDS[ward] for ward in wards])[diagnosis]
    height = _heights(rng, age, female)
    body_mass = 17 + 9 * (1 - np.exp(-age / 18)) * rng.gamma(6, 1 / 6, n_people)
    frame = pl.DataFrame(
        {
            "patient_id": 100_003 + 7 * rng.permutation(n_people),
            "name": _names(rng, female),
            "birth_date": admitted - (age * 365.25).astype(np.int64),
            "sex": _labels(["m", "f"], female),
            "zip": _zips(rng, n_people),
            "height_cm": np.round(height).astype(np.int64),
            "weight_kg": np.round(body_mass * (height / 100) ** 2, 1),
            "admitted": admitted,
            "ward": _labels(wards, diagnosis),
            "diagnosis": _labels(list(_DIAGNOSES), diagnosis),
            "length_of_stay": 1 + rng.poisson(usual_stay * (0.6 + age / 150) * rng.gamma(2, 0.5, n_people)),
        }
    )
    return frame.with_columns(
        pl.format("P{}", pl.col("patient_id").cast(pl.String).str.zfill(8)).alias("patient_id"),
        pl.col("birth_date", "admitted").cast(pl.Int32).cast(pl.Date),
        *(
            pl.when(pl.Series(rng.random(n_people) >= fraction)).then(name).alias(name)
            for name, fraction in _MISSING.items()
        ),
    )


def _diagnoses(rng: np.random.Generator, age: Floats, female: Flags) -> npt.NDArray[np.int64]:
    """Return each person's diagnosis, drawn with frequencies that depend on age and sex."""
    rate, peak, width, women, men = np.array([facts[1:] for facts in _DIAGNOSES.values()]).T
    off_peak = np.abs(age[:, None] - peak) / width
    weight = rate * np.exp(-(off_peak**2) / 2) * (off_peak < 3.5) * np.where(female[:, None], women, men)
    sums = np.cumsum(weight, axis=1)
    drawn = rng.random(len(age))[:, None] * sums[:, -1:]
    place: npt.NDArray[np.int64] = (sums < drawn).sum(axis=1)
    return place


def _heights(rng: np.random.Generator, age: Floats, female: Flags) -> Floats:
    """Return heights in centimeters: 51 at birth, full height at 17, and a little less in old age."""
    full = np.where(female, rng.normal(166, 6.5, len(age)), rng.normal(179, 7, len(age)))
    grown = np.minimum(1, 0.3 + 0.7 * (age / 17) ** 0.7)
    return full * grown - 0.08 * np.clip(age - 50, 0, None)


def _names(rng: np.random.Generator, female: Flags) -> pl.Series:
    women, men, family = _WOMEN.split(), _MEN.split(), _FAMILY.split()
    given = rng.integers(0, np.where(female, len(women), len(men))) + np.where(female, 0, len(women))
    return _labels(women + men, given) + " " + _labels(family, rng.integers(0, len(family), len(female)))


def _zips(rng: np.random.Generator, n_people: int) -> pl.Series:
    """Return zip codes of sixty areas around three towns, some of them crowded and some nearly empty."""
    codes = [f"{town + 3 * area:05}" for town in (1060, 2620, 4100) for area in range(20)]
    share = 1 / (1 + rng.permutation(len(codes)))
    return _labels(codes, rng.choice(len(codes), n_people, p=share / share.sum()))


def _labels(labels: list[str], places: npt.NDArray[np.int64] | Flags) -> pl.Series:
    return pl.Series(labels).gather(pl.Series(places, dtype=pl.UInt32))


POLICY = """\
k = 5

[columns.patient_id]
role = "identifier"

[columns.name]
role = "identifier"

[columns.birth_date]
role = "quasi"

[columns.sex]
role = "quasi"

[columns.zip]
role = "quasi"
hierarchy = { prefix = true }

[columns.height_cm]
role = "quasi"

[columns.weight_kg]
role = "quasi"

[columns.admitted]
role = "quasi"

[columns.ward]
role = "sensitive"

[columns.diagnosis]
role = "sensitive"
diversity = { l = 3 }

[columns.length_of_stay]
role = "sensitive"
"""
"""An example policy of a hospital: groups of at least five people with at least three diagnoses each."""
