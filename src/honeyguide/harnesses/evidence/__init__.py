"""What a harness's journals show: runs, statistics, friction, where failures come from, and whether changes helped.

Pure but for ``ingestion`` and ``ledger``, which read and write the folder's own records.
"""
