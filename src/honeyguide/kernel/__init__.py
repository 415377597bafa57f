"""The ground floor: errors, time, ids, hash-based choice, canonical JSON, bounded regex, resources, processes.

Every room may import it; it imports nothing of ours and nothing heavy.
"""
