"""Measures of a release: its information loss and the re-identification risk that remains."""

from shoal.measure.attack_result import Attacks
from shoal.measure.attackers import attack, attack_files
from shoal.measure.information_loss import loss
from shoal.measure.loss_result import Loss
from shoal.measure.population.result import PopulationRisk
from shoal.measure.questions.result import Question, Questions
from shoal.measure.reidentification_risk import risk
from shoal.measure.risk_result import Risk
from shoal.measure.utility.result import Utility

__all__ = [
    "Attacks",
    "Loss",
    "PopulationRisk",
    "Question",
    "Questions",
    "Risk",
    "Utility",
    "attack",
    "attack_files",
    "loss",
    "risk",
]
