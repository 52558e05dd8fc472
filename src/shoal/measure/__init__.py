"""What was lost, and what risk remains."""

from shoal.measure.attack import attack, attack_files
from shoal.measure.loss import loss
from shoal.measure.result import Attacks, Loss, Risk
from shoal.measure.risk import risk

__all__ = ["Attacks", "Loss", "Risk", "attack", "attack_files", "loss", "risk"]
