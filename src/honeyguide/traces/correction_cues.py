"""Words by which people say that an answer was not what they wanted, in nine languages.

Two lists per language: what counts at the opening of a turn, and what counts anywhere. ``harmless`` openings look alike
and mean nothing ("no problem", "nein danke"). A bare "no" after a question of the agent's is an answer, no complaint.
Lists are kept short on purpose: a missed complaint costs one example, a false one costs trust.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cues:
    """The cues of one language.

    Attributes:
        language: two-letter code.
        denial: the bare "no" that may open a turn.
        harmless: openings that begin like a denial and are none.
        opening: what counts at the opening only.
        anywhere: what counts in any sentence.
    """

    language: str
    denial: re.Pattern[str]
    harmless: re.Pattern[str]
    opening: re.Pattern[str]
    anywhere: re.Pattern[str]


def _cues(language: str, denial: str, harmless: str, opening: str, anywhere: str) -> Cues:
    begin, end = (r"(?<!\w)", r"(?!\w)") if language not in ("ja", "zh") else ("", "")

    def compiled(pattern: str, *, closed: bool = True) -> re.Pattern[str]:
        return re.compile(f"{begin}(?:{pattern}){end if closed else ''}", re.IGNORECASE | re.VERBOSE)

    return Cues(language, compiled(denial), compiled(harmless), compiled(opening), compiled(anywhere, closed=False))


ENGLISH = _cues(
    "en",
    r"no | nope | nah",
    r"no[ ,.!]+(?:problem|problems|worries|thanks|thank\ you|need|rush|idea|issues?|matter|more|doubt|hurry|"
    r"questions?|"
    r"one|other|longer|further|changes|that['’]?s\ (?:all|fine|it|good|great|perfect|ok(?:ay)?)|"
    r"(?:i['’]?m|it['’]?s|we['’]?re|all)\ (?:good|fine|ok(?:ay)?))",
    r"wrong | incorrect | not\ quite | not\ (?:what|like|that|there|here|right) | stop | undo | revert | hmm,?\ no | "
    r"actually,?\ no | wait,?\ (?:no|that|you|this) | please\ don['’]?t | don['’]?t | again[,:] | "
    r"you\ (?:didn['’]?t|removed|deleted|changed|still|misread|only)",
    r"(?:that|this|it)(?:['’]s|\ is|\ was)\ (?:not|wrong|incorrect|still)\b | (?:that|this)\ (?:isn|wasn)['’]?t\b | "
    r"you\ (?:forgot|missed|misunderstood|ignored|broke|skipped|overlooked|were\ supposed)\b | "
    r"still\ (?:fail(?:s|ing)?|broken|doesn['’]?t|does\ not|not|the\ same|wrong|getting|crash(?:es|ing)?|throws)\b | "
    r"(?:doesn['’]?t|does\ not|didn['’]?t|did\ not|isn['’]?t|not)\ work(?:ing)?\b | "
    r"(?:as|like)\ i\ (?:said|mentioned|asked|wrote)\b | "
    r"i\ (?:already\ |just\ |clearly\ )?(?:said|told\ you|asked\ (?:you\ )?(?:for|to|not)|meant)\b | "
    r"not\ what\ i\ (?:asked|wanted|meant|need)\b | (?:undo|revert)\ (?:that|this|it|the|your|all)\b | put\ (?:it|"
    r"that)\ back\b | "
    r"you\ should(?:n['’]?t|\ not)?\ have\b | should\ have\ been\b | why\ (?:did|didn['’]?t|are|do)\ you\b",
)
GERMAN = _cues(
    "de",
    r"nein | nee | nö",
    r"(?:nein|nee|nö)[ ,.!]+(?:danke|passt|alles\ gut|kein\ problem|das\ (?:passt|reicht|war['’]?s|ist\ (?:gut|ok)))",
    r"falsch | nicht\ (?:ganz|richtig|so|das|die|der) | stopp? | halt | rückgängig | doch\ nicht | bitte\ (?:nicht|"
    r"kein\w*)",
    r"das\ (?:ist|war|wäre)\ (?:\w+\ )?(?:falsch|nicht|verkehrt|quatsch)\b | "
    r"(?:das\ )?stimmt\ (?:so\ |immer\ noch\ )?nicht\b | "
    r"hast\ du\ (?:\w+\ ){0,4}vergessen\b | du\ hast\ (?:\w+\ ){0,5}(?:vergessen|übersehen|missverstanden|kaputt|"
    r"gelöscht|ignoriert)\b | "
    r"sie\ haben\ (?:\w+\ ){0,5}(?:vergessen|übersehen|missverstanden)\b | "
    r"ich\ (?:sagte|meinte|hatte\ doch|habe\ (?:doch\ |dir\ |schon\ )*(?:gesagt|geschrieben))\b | "
    r"(?:geht|funktioniert|klappt|läuft)\ (?:immer\ noch\ |noch\ immer\ |leider\ |so\ |aber\ )*nicht\b | "
    r"immer\ noch\ (?:kaputt|falsch|derselbe|dasselbe|der\ gleiche|fehler|nicht|ein\ fehler)\b | "
    r"(?:mach|nimm)e?\ (?:das|es)\ (?:wieder\ |bitte\ |doch\ )*(?:rückgängig|zurück)\b | "
    r"warum\ (?:hast|haben|machst)\ (?:du|sie)\b | wie\ gesagt\b | "
    r"nicht\ (?:das,?\ )?was\ ich\ (?:wollte|meinte|gesagt)\b | "
    r"(?:das|so)\ (?:wollte|habe|hatte)\ ich\ (?:so\ )?nicht\b",
)
FRENCH = _cues(
    "fr",
    r"non",
    r"non[ ,.!]+(?:merci|c['’]est\ (?:bon|parfait|tout|bien)|pas\ de\ (?:problème|souci)|ça\ (?:va|ira))",
    r"faux | incorrect | pas\ (?:comme\ ça|ça|tout\ à\ fait|vraiment) | arrête[sz]? | stop | annule[rz]? | "
    r"attends?,?\ non",
    r"ce\ n['’]?(?:est|était)\ pas\ (?:ça|ce\ que|correct|bon|juste|le|la)\b | "
    r"c['’](?:est|était)\ (?:toujours\ )?(?:faux|incorrect|pas\ (?:ça|bon|ce\ que|correct))\b | "
    r"(?:tu\ as|vous\ avez|t['’]as)\ (?:encore\ )?(?:oublié|raté|mal\ compris|ignoré|cassé|supprimé)\b | "
    r"(?:tu\ n['’]as|vous\ n['’]avez)\ pas\b | j['’](?:ai|avais)\ (?:déjà\ )?(?:dit|demandé|écrit)\b | "
    r"je\ (?:voulais\ dire|parlais\ de)\b | "
    r"ne\ (?:marche|fonctionne|passe)(?:nt)?\ (?:toujours\ )?pas\b | toujours\ (?:le\ même|la\ même|en\ échec|"
    r"cassé|faux|pas)\b | "
    r"(?:annule|reviens|revenez)\ (?:ça|en\ arrière|cela|tout)\b | pourquoi\ (?:as-tu|avez-vous|tu\ as|"
    r"vous\ avez)\b | "
    r"comme\ je\ (?:l['’]ai\ )?(?:dit|disais)\b | pas\ ce\ que\ (?:j['’]ai|je)\b",
)
SPANISH = _cues(
    "es",
    r"no",
    r"no[ ,.!]+(?:gracias|hay\ (?:de\ qué|problema|prisa)|te\ preocupes|pasa\ nada|está\ (?:bien|perfecto)|"
    r"eso\ es\ todo|importa)",
    r"mal | incorrecto | así\ no | eso\ no | deshaz | deshacer | revierte | para | espera,?\ no | tampoco",
    r"(?:eso|esto|así)\ no\ (?:es|era|funciona|sirve|está)\b | (?:eso|esto)?\ ?está(?:n)?\ mal\b | "
    r"es\ incorrect[oa]\b | "
    r"no\ (?:es|era)\ (?:eso|esto|así|lo\ que|correcto)\b | (?:te\ )?(?:olvidaste|has\ olvidado|"
    r"te\ faltó|ignoraste|rompiste|borraste)\b | "
    r"(?:ya\ )?te\ (?:dije|pedí|había\ (?:dicho|pedido))\b | (?:yo\ )?(?:pedí|dije|quise\ decir|me\ refería)\b | "
    r"sigue(?:n)?\ (?:fallando|sin|igual|mal|rot[oa]|dando)\b | (?:todavía|aún)\ (?:no|falla)\b | no\ (?:funciona|"
    r"funcionó|compila)\b | "
    r"por\ qué\ (?:has|hiciste|borraste|cambiaste|quitaste)\b | como\ (?:te\ )?dije\b",
)
PORTUGUESE = _cues(
    "pt",
    r"não | nao",
    r"n[ãa]o[ ,.!]+(?:obrigad[oa]|tem\ problema|faz\ mal|precisa|é\ preciso|está\ (?:bom|bem|ótimo|perfeito)|"
    r"se\ preocupe)",
    r"errado | incorreto | assim\ não | isso\ não | desfa[zç]\w* | revert[ae] | para | espera,?\ não",
    r"(?:isso|isto|assim)\ não\ (?:é|era|está|funciona|serve)\b | está\ errad[oa]\b | não\ (?:é|era)\ (?:isso|isto|"
    r"assim|o\ que)\b | "
    r"(?:você|tu)\ (?:se\ )?(?:esqueceu|esqueceste|ignorou|quebrou|apagou|removeu)\b | esqueceu(?:-se|\ de|\ o|"
    r"\ a)\b | "
    r"(?:eu|já)\ (?:te\ |lhe\ )?(?:disse|pedi|falei|quis\ dizer)\b | quis\ dizer\b | "
    r"(?:continua|ainda)\ (?:não|a\ falhar|falhando|com\ (?:o\ mesmo\ )?erro|errad[oa]|quebrad[oa]|dando|igual)\b | "
    r"não\ (?:funciona|funcionou|compila)\b | por\ que\ (?:você\ )?(?:fez|apagou|mudou|tirou)\b | "
    r"como\ (?:eu\ )?(?:disse|falei)\b",
)
ITALIAN = _cues(
    "it",
    r"no",
    r"no[ ,.!]+(?:grazie|problem|nessun\ problema|va\ (?:bene|benissimo)|tranquill[oa]|basta\ così|è\ (?:tutto|"
    r"perfetto))",
    r"sbagliato | errato | non\ (?:così|quello|questo|proprio) | fermo | annulla | ripristina | aspetta,?\ no",
    r"(?:questo|quello|così)\ non\ (?:è|era|va|funziona)\b | non\ (?:è|era)\ (?:quello|questo|così|corretto|giusto|"
    r"ciò)\b | "
    r"è\ (?:ancora\ )?sbagliat[oa]\b | hai\ (?:dimenticato|saltato|frainteso|ignorato|rotto|cancellato|"
    r"tralasciato)\b | "
    r"(?:ti\ )?(?:ho|avevo)\ (?:già\ )?(?:detto|chiesto)\b | (?:io\ )?intendevo\b | volevo\ dire\b | "
    r"(?:ancora|sempre)\ (?:non|rott[oa]|lo\ stesso|un\ errore|sbagliat[oa])\b | non\ (?:funziona|compila|"
    r"ha\ funzionato)\b | "
    r"continua\ a\ (?:fallire|dare|non)\b | (?:annulla|ripristina)\ (?:tutto|la|il|le|questa)\b | torna\ indietro\b | "
    r"perché\ hai\b | come\ (?:ho\ detto|dicevo)\b",
)
RUSSIAN = _cues(
    "ru",
    r"нет | не-а",
    r"нет[ ,.!]+(?:спасибо|проблем|всё\ (?:хорошо|ок|нормально)|все\ (?:хорошо|ок|нормально)|не\ (?:надо|нужно)|"
    r"вопросов)",
    r"неправильно | неверно | не\ (?:то|так|это|туда) | стоп | отмени(?:те)? | подожди,?\ нет",
    r"это\ (?:не\ (?:то|так|верно|правильно)|неправильно|неверно)\b | не\ то,?\ что\ я\b | "
    r"(?:ты|вы)\ (?:опять\ |снова\ )?(?:забыл[аи]?|пропустил[аи]?|не\ понял[аи]?|сломал[аи]?|удалил[аи]?)\b | "
    r"я\ (?:же\ |уже\ )?(?:сказал[а]?|говорил[а]?|просил[а]?|имел[а]?\ в\ виду)\b | "
    r"(?:отмени|верни|откати)(?:те)?\ (?:это|как|обратно|назад|всё|все|изменения)\b | "
    r"вс[её]\ (?:ещё|еще|равно)\ (?:не|пада|ошибк|слом)\w* | по-прежнему\ (?:не|пада)\w* | "
    r"не\ (?:работает|сработало|помогло|запускается|компилируется)\b | (?:зачем|почему)\ (?:ты|вы)\b",
)
JAPANESE = _cues(
    "ja",
    r"いいえ | いや[、。, ] | ううん",
    r"いいえ[、。, ]*(?:大丈夫|結構|問題|ありがとう)",
    r"違(?:う|います|くて) | ちがう | ストップ | 待って | やめて",
    r"(?:それ|これ|そこ)は?(?:違(?:う|い)|間違) | そうじゃな | そうではな | じゃなくて | ではなくて | 間違(?:い|"
    r"って|え)(?:です|だ|ます|る|てい) | "
    r"まだ(?:動か|動きま|エラー|直って|直りま|失敗|だめ|ダメ) | 動(?:かない|きません|いていない|かなかった) | "
    r"うまくいか(?:ない|なかった|ず) | "
    r"忘れて(?:い|る|ます) | (?:元に戻し|取り消し|やり直し)て | と言(?:った|いました)(?:よ|のに|はず) | (?:お願い|"
    r"頼ん|依頼)し?たのは | "
    r"(?:どうして|なぜ|なんで)[^。?？]{0,20}(?:消し|変え|削除し|変更し)(?:た|ました)",
)
CHINESE = _cues(
    "zh",
    r"不[,，。!！ ] | 不是[,，。!！ ]",
    r"不[,，。!！ ]*(?:用了|客气|谢谢|謝謝|需要)",
    r"不对 | 不對 | 错了 | 錯了 | 不是(?:这|這|那|我|说|說) | 停",
    r"不(?:太)?(?:对|對)(?!应|應|称|稱|外|齐|齊) | (?:搞|弄|写|寫|理解|做)?(?:错|錯)了 | 不是(?:这样|這樣|这个意思|"
    r"這個意思|我(?:要|想|说|說)) | "
    r"(?:还是|還是|仍然|依然)(?:不行|报错|報錯|失败|失敗|不对|不對|有错|有問題|有问题|没有|沒有|不能|一样|一樣) | "
    r"(?:不|没|沒)(?:起作用|生效|能运行|能運行) | 你(?:又)?(?:忘了|忘记|忘記|漏了|误解|誤解|没有按|沒有按|删了|"
    r"刪了|改错|改錯) | "
    r"我(?:说过|說過|说的是|說的是|要的是|想要的是|让你|讓你|明明|的意思是) | (?:撤销|撤銷|撤回|改回|还原|還原|"
    r"恢复原|恢復原) | "
    r"(?:为什么|為什麼|怎么|怎麼)(?:你)?(?:又)?(?:删|刪|改|把)",
)

CUES: tuple[Cues, ...] = (ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, JAPANESE, CHINESE, RUSSIAN)

_STOPWORDS = {
    "en": "the and is of to in it you that for not this with on are was be have but what please can don't it's i",
    "de": "der die das und ist nicht ein eine ich du es mit zu den auf für bitte noch auch wie aber so mach hast nein",
    "fr": "le la les et est un une des je tu vous il ne pas que pour dans ce ça avec sur mais s'il non c'est",
    "es": "el la los las y es un una que de en por para con no se te lo pero está como más mi eso esto ya",
    "pt": "o a os as e é um uma que de em por para com não se te mas está como mais isso isto já você do da eu",
    "it": "il lo la gli le e è un una che di in per con non si ti ma come più questo quello hai del della ho",
}
_STOPWORD_SETS = {language: frozenset(words.split()) for language, words in _STOPWORDS.items()}
_TELLING_LETTERS = {"ß": "de", "ã": "pt", "õ": "pt", "ñ": "es", "¿": "es", "¡": "es", "œ": "fr", "ê": "fr"}
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def likely_languages(text: str) -> tuple[str, ...]:
    """Return the languages that ``text`` may be in, the likeliest first; several where a short text leaves it open."""
    if _KANA.search(text):
        return ("ja",)
    if len(_HAN.findall(text)) >= 2:
        return ("zh", "ja")
    if _CYRILLIC.search(text):
        return ("ru",)
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    scores = {language: float(sum(word in known for word in words)) for language, known in _STOPWORD_SETS.items()}
    for letter, language in _TELLING_LETTERS.items():
        if letter in text.lower():
            scores[language] += 1.5
    best = max(scores.values())
    if best <= 1 or len(words) < 4:
        return tuple(sorted(scores, key=lambda language: (-scores[language], language != "en", language)))
    return tuple(language for language in scores if scores[language] >= best)


_PRAISE = re.compile(
    r"(?i)(?<!\w)(?:good|great|perfect|excellent|nice|correct|thanks|thank you|well done|love|helpful|gut|super|"
    r"prima|danke|"
    r"parfait|merci|très bien|bien|perfecto|gracias|ótimo|perfeito|obrigad[oa]|perfetto|ottimo|grazie|спасибо|"
    r"отлично|хорошо)"
    r"(?!\w)|ありがとう|完璧|いいですね|很好|谢谢|謝謝|完美|👍|❤"
)


def is_praise(text: str) -> bool:
    """Say whether a comment reads as praise: a word of it and no cue of a complaint."""
    if not _PRAISE.search(text) or re.search(
        r"(?i)(?<!\w)(?:not|but|nicht|aber|pas|mais|pero|mas|ma|не|но)(?!\w)", text
    ):
        return False
    return not any(cues.anywhere.search(text) for cues in CUES)
