"""matchwire's settings: every key, where it comes from, and what is wrong with it."""

from config.check import check
from config.errors import ConfigError, Problem
from config.loading import load
from config.settings import Settings

__all__ = ["ConfigError", "Problem", "Settings", "check", "load"]
