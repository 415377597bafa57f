"""Make the signed notice that "Check for updates" reads.

usage: update_notice.py new-key PRIVATE_KEY_FILE
       update_notice.py make VERSION RELEASED NOTES_URL FOLDER > update.json

``new-key`` writes a private key (PEM, mode 0600, keep it off the machine that builds) and prints the line for
``resources/updates/keys.txt``. ``make`` lists the installers in FOLDER with their hashes and signs the list with the
key in the variable HONEYGUIDE_UPDATE_KEY (the PEM itself); RELEASED is a day, NOTES_URL an https page or "".
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

SIGNED_PREFIX = b"honeyguide-update-1\n"
"""As ``honeyguide.workspace.updates`` has it; a test holds them together."""
INSTALLERS = (".deb", ".rpm", ".run", ".exe", ".dmg", ".whl")


def new_key(target: Path) -> str:
    """Write a new private key and return the public one, base64."""
    key = Ed25519PrivateKey.generate()
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return base64.b64encode(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()


def make(version: str, released: str, notes: str, folder: Path, key: Ed25519PrivateKey) -> str:
    """Return the signed document for the installers in ``folder``."""
    notice = json.dumps(
        {
            "product": "honeyguide",
            "version": version,
            "released": released,
            "notes": notes,
            "files": [
                {
                    "name": path.name,
                    "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                    "size": path.stat().st_size,
                }
                for path in sorted(folder.iterdir())
                if path.suffix in INSTALLERS
            ],
        },
        separators=(",", ":"),
    )
    signature = base64.b64encode(key.sign(SIGNED_PREFIX + notice.encode())).decode()
    return json.dumps({"format": 1, "notice": notice, "signature": signature}, indent=1) + "\n"


def main(arguments: list[str]) -> int:
    """Carry out one of the two commands."""
    match arguments:
        case ["new-key", target]:
            print(new_key(Path(target)))
        case ["make", version, released, notes, folder]:
            pem = os.environ.get("HONEYGUIDE_UPDATE_KEY", "")
            if not pem:
                raise SystemExit("HONEYGUIDE_UPDATE_KEY is not set: no notice was made")
            key = load_pem_private_key(pem.encode(), None)
            if not isinstance(key, Ed25519PrivateKey):
                raise SystemExit("HONEYGUIDE_UPDATE_KEY holds no ed25519 key")
            sys.stdout.write(make(version, released, notes, Path(folder), key))
        case _:
            raise SystemExit(__doc__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
