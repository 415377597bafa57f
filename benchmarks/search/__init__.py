"""How far the searches get per call, on simulated worlds that live outside this repository."""
