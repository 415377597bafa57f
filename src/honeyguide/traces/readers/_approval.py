"""Recognises a person's plain approval: the only words that make an earlier answer a success.

Only a short message that is approval as a whole counts; "thanks, but …" does not, and silence never does.
"""

from __future__ import annotations

import re

LONGEST_APPROVAL = 80
"""Characters; a longer message says more than yes."""

_WORDS = (
    # English
    r"thanks(?: a lot| so much)?|thank you(?: so much| very much)?|thx|perfect|excellent|awesome|great(?: job| work)?|"
    r"well done|good job|nice(?: work| one)?|looks good(?: to me)?|lgtm|that works|it works(?: now)?|works(?: now)?|"
    r"works? (?:great|perfectly|fine)|exactly(?: what i (?:wanted|needed))?|that'?s (?:it|right|perfect|correct)|"
    # German, French, Spanish, Portuguese, Italian
    r"danke(?: schön| dir)?|vielen dank|super|perfekt|passt(?: so)?|funktioniert(?: jetzt)?|genau(?: so)?|"
    r"merci(?: beaucoup)?|parfait|c'est parfait|ça marche(?: maintenant)?|"
    r"(?:muchas )?gracias|perfecto|excelente|funciona(?: ahora)?|"
    r"(?:muito )?obrigad[oa]|perfeito|funcionou|"
    r"grazie(?: mille)?|perfetto|funziona(?: adesso| ora)?|"
    # Russian, Chinese, Japanese
    r"спасибо(?: большое)?|отлично|идеально|работает|"
    r"谢谢(?:你|您)?|感谢|完美|很好|太好了|"
    r"ありがとう(?:ございます|ございました)?|完璧です?|うまくいきました"
)
_APPROVAL = re.compile(rf"(?:(?:{_WORDS})[\s,.!;:)👍🎉🙏😊❤️、。！]*)+|[👍🎉🙏💯✅\s]+", re.IGNORECASE)


def is_approval(text: str) -> bool:
    """Say whether ``text`` is approval and nothing else."""
    stripped = text.strip()
    return 0 < len(stripped) <= LONGEST_APPROVAL and _APPROVAL.fullmatch(stripped) is not None
