"""Where prompts live, and what a changed prompt must keep.

`targets` names what can evolve; `kinds`, `places` and `discovery` know the files of each program; `carriers` opens
and rewrites them byte for byte; `limits`, `variables`, `capabilities`, `locks`, `leftovers` and `rules` say what the
gates ask; `audit` looks over a whole shelf of prompts. Only `discovery` touches the disk, and only to read.

Any room above may import it: the modules themselves, for this package exports nothing.
"""
