"""What agents did: records, conversations, the recorder, redaction, readers of other programs' history, corrections.

Pure: streams and data in, data out; no files, no SQL, no network. Every floor above may import it.
Start at ``records`` (one execution), ``conversations`` (what a reader yields), ``recorder`` (for agents),
``redaction`` (secrets never get further than this), ``corrections`` (where a person was not satisfied).
"""
