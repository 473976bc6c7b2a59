"""How bad it would be if this ran and was not wanted: computed from the parse of the code, never by the model."""

from zero_one.safety.risk.classify import classify, language_of
from zero_one.safety.risk.model import Effect, Risk, Verdict

__all__ = ["Effect", "Risk", "Verdict", "classify", "language_of"]
