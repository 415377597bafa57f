"""How a text sits in its file: encoding, line ends, frontmatter, the editable span.

Open a file with `parse`, read `CarrierDocument.text`, and write `CarrierDocument.with_text`: every byte
outside the span stays. Bytes in, values out; nothing here touches a disk. Any room above may import it.
"""

from honeyguide.prompts.carriers.document import CarrierDocument, FieldChange, Incoming
from honeyguide.prompts.carriers.findings import CarrierFinding, Severity
from honeyguide.prompts.carriers.opening import Carrier, carrier_for, choices, parse
from honeyguide.prompts.carriers.selectors import BODY, Selector, field, pointer
from honeyguide.prompts.carriers.spans import SpanChoice

__all__ = [
    "BODY",
    "Carrier",
    "CarrierDocument",
    "CarrierFinding",
    "FieldChange",
    "Incoming",
    "Selector",
    "Severity",
    "SpanChoice",
    "carrier_for",
    "choices",
    "field",
    "parse",
    "pointer",
]
