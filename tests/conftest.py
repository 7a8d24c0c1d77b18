"""How hard hypothesis tries: quick by default, SEPARATRIX_PROFILE=deep, as in make fuzz, for long."""

import os

from hypothesis import HealthCheck, settings

common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("quick", max_examples=150, derandomize=True, **common)
settings.register_profile("deep", max_examples=int(os.environ.get("SEPARATRIX_EXAMPLES", "2000")), **common)
settings.load_profile(os.environ.get("SEPARATRIX_PROFILE", "quick"))
