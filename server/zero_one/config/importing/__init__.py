"""Profiles of the first 01 and of Open Interpreter, read without executing anything."""

from zero_one.config.importing.convert import Imported, import_profile, said
from zero_one.config.importing.found import Left

__all__ = ["Imported", "Left", "import_profile", "said"]
