"""The search for a better text: schema search, instruction search, gates, proof, and the run that joins them.

Pure: no files, no database, no network, no window. Import the modules themselves (this package exports nothing, so that
a name of it loads nothing heavy): ``orchestrator.run_once`` with ``requests``, ``plan.make_plan``, ``presets``,
``gates``, and ``search``, the port for other searches.
"""
