"""``harness.yaml``: its fields, its problems with place and remedy, its version hash. Executes nothing of a folder."""

from honeyguide.harnesses.spec.fingerprints import Fingerprints, fingerprints, version_hash
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.harnesses.spec.problems import Problem
from honeyguide.harnesses.spec.reading import Document, read_document

__all__ = ["Document", "Fingerprints", "HarnessSpec", "Problem", "fingerprints", "read_document", "version_hash"]
