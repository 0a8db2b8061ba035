"""How people say what always holds, by language, as data: patterns for folded text (analyzer.py).

Does not know what is done with what they find (standing.py).
"""

# ruff: noqa: E501, ISC004 - words of many languages, in patterns

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Ways:
    """The ways of one language. Each field is a pattern; "" = the language has none.

    `marker`: it holds from now on. `filler`: may stand before the verb. `negation`: the same, and forbids. `verbs`: what
    a bot is told to do, in the imperative. `forbidden`: of these, what forbids for good without a marker. `when`: opens a
    condition, `asks`: a verb in it that is about this talk. `style`: holds without a marker. `stop`: ends and forbids.
    `prefer`: a preference. `end_that`: ends what was asked for last; `end`: ends what it names. `called`: before a name.
    """

    marker: str
    filler: str
    verbs: str
    prefer: str
    called: str
    negation: str = ""
    forbidden: str = ""
    when: str = ""
    asks: str = ""
    style: str = ""
    stop: str = ""
    end_that: str = ""
    end: str = ""


WAYS: Mapping[str, Ways] = {
    "english": Ways(
        marker=r"always|never|from now on|from here on|going forward|henceforth|in (?:the )?future|every time|each time|whenever|every (?:answer|reply|response|message)|each (?:answer|reply|response|message)|by default|any ?more|ever again|don't ever",
        filler=r"please|pls|kindly|always|from now on|from here on|going forward|henceforth|in (?:the )?future|only|just|also|actually|instead|then|now|ever|ok|okay|so|and|but|hey|hi|hello|by default|remember to|make sure (?:to|you)|be sure to|you (?:should|must|need to|have to)|(?:can|could|would|will) you|i (?:want|need|would like|'d like)(?: for)? you to|i'd like you to|try to",
        negation=r"do not|don't|dont|never|not",
        verbs=r"answer|reply|respond|write|use|show|give(?! up)|include|add|explain|translate|convert|format|keep|put|start|begin|end|finish|close|ask|tell|remind|mention|cite|check|suggest|recommend|avoid|speak|talk|say(?! never)|list|provide|sign|address|spell|round|quote|summari[sz]e|make|leave|skip|warn|point|correct|assume|treat|consider|be|offer|refer|stick|limit|return|name|omit|express|display|print|present|prioriti[sz]e|double-check|wrap|comment|document|highlight|sort|base|prefer|state|call",
        forbidden=r"use|add|include|apologi[sz]e|repeat|translate|explain|put|end|start|begin|address|mention|suggest|recommend|write|give(?! up)|show|sign|format|answer|reply|respond",
        when=r"when(?:ever)?|if|every time|each time|any time|anytime",
        asks=r"(?:i|we|you|somebody|someone|anyone) (?:\w+ )?(?:asks?|wants?|needs?|says?|writes?|mentions?|talks?|sends?|pastes?|gives?|requests?|shares?|suggests?|recommends?|answers?|explains?|shows?|quotes?|discuss|discusses|plans?|speaks?|describes?|lists?|translates?|makes?|cooks?)",
        style=r"^(?:please )?(?:use|stick to) (?:the )?(?:metric|imperial|celsius|fahrenheit|kilomet\w+|24-hour|12-hour)|^(?:please )?(?:be|stay) (?:more |less |very |a bit )*(?:brief|concise|short|formal|informal|polite|direct|detailed)\b|^(?:please )?keep (?:your |the |all |it |them )?(?:answers?|replies|responses|explanations|it|messages)?\s*(?:short|brief|concise|simple|detailed|formal)|^(?:please )?(?:answer|reply|respond|speak|talk) (?:to |with )?me (?:only )?in \w+|^no (?:more )?(?:emojis?|smileys|jargon|slang|small talk|lists|bullet points|tables|headings|markdown|spoilers|disclaimers|apologies|exclamation marks|puns|jokes|greetings|abbreviations|acronyms|swear words|code|links)\b.*\bplease|^for (?!example|now|instance|today|tonight|tomorrow|me\b|this|that|the\b|my\b|our\b|once)[\w ]{2,30}, (?:please )?(?:use|give|show|add|write|include|list|state)\b|^(?:please )?avoid (?:using|saying|mentioning|adding)\b|^(?:please )?(?:do not|don't|never) (?:ever )?call me (?!back|at|on|in\b|later|again|tomorrow|today|tonight|before|after|when|if|until|while|during|now|this)",
        stop=r"(?:please )?(?:stop|quit) (?!doing|it\b|that\b|this\b)\w+ing\b",
        prefer=r"\bi (?:really |much |generally |usually |always |strongly |now )*prefer\b(?! not to (?:say|answer|tell|talk))|\bi(?:'d| would) rather you\b|\bmy (?:favou?rite|preferred) [\w ]{2,30} (?:is|are)\b|\bi like [\w ,]{2,40} (?:better|more) than\b(?! (?:the )?(?:last|before|usual|yesterday|ever|expected))",
        end_that=r"^(?:\w+,? )?(?:stop|quit) (?:that|it|this)(?:,? please|,? now)?[.!]*$|\b(?:stop|quit) doing (?:that|it|this)\b|\b(?:do not|don't) do (?:that|this|it) (?:any ?more|again)|\b(?:forget|cancel|drop|scrap|ignore|undo) (?:that|this|the|my) (?:last )?(?:rule|instruction|request|wish)\b",
        end=r"\byou (?:can|may) .*\bagain\b|\byou (?:do not|don't|no longer) (?:have to|need to|need|must) .*|\bno need to .* any ?(?:more|longer)|\b(?:it's|it is) (?:ok|okay|fine) to .* again|\b(?:forget|cancel|drop|scrap) (?:about )?the \w+ (?:rule|instruction)",
        called=r"(?:call|address) me(?: as)?",
    ),
    "german": Ways(
        marker=r"immer|nie|niemals|ab jetzt|ab sofort|ab heute|von (?:nun|jetzt|heute) an|kunftig|in zukunft|zukunftig|stets|grundsatzlich|jedes ?mal|jede (?:antwort|nachricht)|jeder (?:antwort|nachricht)|standardmassig|nicht mehr|nie mehr",
        filler=r"bitte|ab jetzt|ab sofort|ab heute|von (?:nun|jetzt|heute) an|kunftig|in zukunft|zukunftig|immer|nur|auch|dann|also|ok|und|aber|hallo|doch|mal|stattdessen|kannst du|konntest du|konnten sie|du sollst|du solltest|ich (?:will|mochte), dass du",
        verbs=r"antworte|schreib|schreibe|benutze?|nutze?|verwende|zeige?|gib|nenne?|fuge?|erklare?|ubersetze?|rechne|halte?|setze?|beginne|fang|beende|schliesse?|schließ|frage?|erinnere|erwahne|prufe|schlage?|empfiehl|vermeide|sprich|rede|sag|liste|runde|zitiere|fasse?|mach|mache|lass|warne|korrigiere|sei|formatiere|stelle?|duze?|sieze?|kommentiere|dokumentiere|hange?|antworten sie|schreiben sie|benutzen sie|verwenden sie|zeigen sie|geben sie|nennen sie",
        forbidden=r"(?:benutze?|nutze?|verwende|schreib|schreibe|setze?|fuge?|schlage?|mach|mache|gib|benutzen sie|verwenden sie)\b.*\b(?:keine?n?|nie|niemals|nicht mehr)\b",
        when=r"wenn|falls|immer wenn|sobald|jedes ?mal,? wenn",
        asks=r"(?:ich|wir|du|jemand) .*\b(?:frage?|fragst|bitte|will|brauche?|mochte|sage?|schreibe?|schreibst|erwahne|rede|schicke|sende|zeige|zeigst|gibst|vorschlagst|erklarst|nennst|verlange|antwortest|empfiehlst|spreche)\b",
        style=r"^(?:bitte )?(?:duze?|sieze?) mich|\bich (?:mochte|will|hatte gern),? dass du (?:mich |mir |bitte )*(?:immer|nie|ab jetzt|kunftig|ab sofort|nicht mehr|stets)\b|^(?:bitte )?(?:fasse? dich|antworte) (?:bitte )?(?:kurz|knapp|ausfuhrlich)|^(?:bitte )?(?:sprich|rede|antworte) (?:mit )?mir (?:nur )?auf \w+|^keine? (?:emojis?|smileys|fachworter|listen|tabellen|floskeln|anglizismen|witze|ausrufezeichen|abkurzungen|links|spoiler)\b.*\b(?:mehr|bitte)",
        stop=r"hor(?:e)? (?:bitte )?auf,? .+ zu \w+",
        prefer=r"\bich (?:\w+ )?bevorzuge\b|\bich (?:\w+ )?ziehe .* vor\b|\bmir (?:ist|sind) .* lieber\b|\bich (?:mag|nehme|nutze|trinke|esse) .*\blieber\b|\bmein\w* lieblings\w+ (?:ist|sind)\b",
        end_that=r"\bhor(?:e)? (?:bitte )?(?:auf damit|damit auf)|\blass das (?:bitte )?(?:sein|kunftig|ab jetzt)|\bmach das (?:bitte )?nicht mehr|\bvergiss (?:die|diese) (?:letzte )?(?:regel|anweisung|bitte)\b",
        end=r"\bdu (?:kannst|darfst) .*\bwieder\b|\bdu (?:musst|brauchst) .*\bnicht mehr\b|\bdu (?:musst|brauchst) keine .*\bmehr\b",
        called=r"sprich mich(?: bitte)? mit|nenne? mich(?: bitte)?(?: ab (?:jetzt|sofort))?(?: kunftig)?(?: immer)?",
    ),
    "spanish": Ways(
        marker=r"siempre|nunca|jamas|(?:a partir|de|desde) (?:de )?ahora(?: en adelante)?|desde hoy|a partir de hoy|en adelante|en el futuro|cada vez|cada (?:respuesta|mensaje)|por defecto|ya no|nunca mas",
        filler=r"por favor|siempre|(?:a partir|de|desde) (?:de )?ahora|desde hoy|en adelante|en el futuro|solo|tambien|entonces|ok|vale|y|pero|hola|mejor|por defecto|debes|deberias|tienes que|quiero que|puedes|podrias",
        negation=r"no|nunca|jamas",
        verbs=r"usa|uses|use|utiliza|utilices|utilice|muestra|muestres|muestre|responde|respondas|responda|contesta|contestes|escribe|escribas|escriba|da|des|dame|anade|anadas|agrega|agregues|incluye|incluyas|explica|expliques|traduce|traduzcas|convierte|formatea|manten|mantengas|pon|pongas|empieza|empieces|termina|termines|acaba|pregunta|preguntes|dime|digas|recuerda|recuerdame|menciona|menciones|cita|revisa|sugiere|sugieras|recomienda|recomiendes|evita|habla|hables|hablame|tutea\w*|tratame|redondea|resume|haz|hagas|deja|avisa|corrige|corrijas|se|indica|indiques|expresa|llamame|comenta|documenta",
        forbidden=r"uses|use|utilices|anadas|agregues|incluyas|pongas|escribas|des|empieces|termines|menciones|sugieras|recomiendes|muestres|respondas|hables",
        when=r"cuando|si|siempre que|cada vez que",
        asks=r"\b(?:te |me |os |le )?(?:pida|pido|pides|pregunte|pregunto|quiera|quiero|necesite|necesito|diga|digo|escriba|escribas|escribes|hable|hables|mencione|menciono|mande|envie|comparta|sugieras|recomiendes|des|expliques|respondas|muestres)\b",
        style=r"\bquiero que (?:siempre|nunca|(?:a partir|de|desde) (?:de )?ahora)\b|^(?:por favor,? )?no me (?:llames|digas) (?!nada|que|eso|mas)|^(?:por favor,? )?(?:tuteame|tratame de (?:tu|usted))|^(?:por favor,? )?(?:se|responde) (?:mas |muy )?(?:breve|conciso|formal|directo|brevemente)\b|^(?:por favor,? )?(?:habla|responde|contesta)me (?:solo )?en \w+|^sin (?:mas )?(?:emojis|listas|tablas|rodeos|tecnicismos|bromas|anglicismos|enlaces)\b.*\bpor favor",
        stop=r"(?:deja|para|dejes|pare) de (?!hacer(?:lo)?\b)\w+(?:ar|er|ir)\b",
        prefer=r"\b(?:yo )?prefiero\b|\bme (?:gusta|gustan) mas\b|\bmi \w+ (?:favorit|preferid)[oa] es\b",
        end_that=r"\b(?:deja|para) de hacer(?:lo|\s+(?:eso|esto))\b|\bya no (?:hagas|lo hagas) (?:eso|esto|mas)|\bno (?:hagas eso|lo hagas) mas\b|\bolvida (?:esa|la ultima|esta) (?:regla|instruccion|peticion)\b",
        end=r"\bpuedes .*\b(?:otra vez|de nuevo)\b|\bpuedes volver a .*|\bya no (?:hace falta|es necesario|tienes que|necesitas) .*|\bno hace falta que .*\bmas\b",
        called=r"(?:llamame|puedes llamarme|dime)",
    ),
    "portuguese": Ways(
        marker=r"sempre|nunca|jamais|(?:a partir|de|desde) (?:de )?(?:agora|hoje)(?: em diante)?|daqui (?:em|por) diante|daqui para (?:a )?frente|no futuro|cada vez|toda vez|cada (?:resposta|mensagem)|por padrao|nao .* mais",
        filler=r"por favor|sempre|(?:a partir|de|desde) (?:de )?(?:agora|hoje)(?: em diante)?|daqui (?:em|por) diante|no futuro|so|apenas|tambem|entao|ok|e|mas|ola|oi|por padrao|voce deve|quero que voce|pode|poderia",
        negation=r"nao|nunca|jamais",
        verbs=r"use|usa|uses|utilize|mostre|mostra|mostres|responda|responde|respondas|escreva|escreve|escrevas|de|da|des|me de|adicione|adiciona|acrescente|inclua|inclui|incluas|explique|explica|traduza|traduz|converta|formate|mantenha|mantem|coloque|comece|termine|termina|acabe|pergunte|diga|lembre|mencione|cite|verifique|sugira|recomende|evite|fale|fala|fales|trate|arredonde|resuma|faca|deixe|avise|corrija|seja|indique|expresse|me chame|comente|documente|ponha",
        forbidden=r"use|uses|utilize|adicione|inclua|incluas|coloque|escreva|escrevas|de|des|comece|termine|mencione|sugira|recomende|mostre|mostres|responda|respondas|fale|fales|ponha",
        when=r"quando|se|sempre que|toda vez que|cada vez que",
        asks=r"\b(?:te |me |lhe )?(?:pedir|peco|peca|perguntar|pergunto|quiser|quero|precisar|preciso|disser|digo|escrever|falar|mencionar|mandar|enviar|sugerir|recomendar|der|explicar|responder|mostrar)\b",
        style=r"\bquero que (?:voce )?(?:sempre|nunca|a partir de agora)\b|^(?:por favor,? )?nao me chame de\b|^(?:por favor,? )?(?:me trate|trate-me) por \w+|^(?:por favor,? )?seja (?:mais |muito )?(?:breve|conciso|formal|direto)\b|^(?:por favor,? )?(?:fale|responda)(?: comigo|-me| me)? (?:so )?em \w+|^sem (?:mais )?(?:emojis|listas|tabelas|rodeios|girias|piadas|anglicismos|links)\b.*\bpor favor",
        stop=r"(?:pare|para|deixe|deixa) de (?!fazer\b)\w+(?:ar|er|ir)\b",
        prefer=r"\b(?:eu )?prefiro\b|\bgosto mais d\w+\b|\b(?:o |a )?meu? \w+ (?:favorit|preferid)[oa] e\b|\bminha \w+ (?:favorita|preferida) e\b",
        end_that=r"\b(?:pare|para|deixe|deixa) (?:de fazer|com) (?:isso|isto)\b|\bnao faca (?:mais isso|isso mais)|\besqueca (?:essa|esta|a ultima) (?:regra|instrucao|pedido)\b",
        end=r"\bpode .*\b(?:de novo|novamente|outra vez)\b|\bpode voltar a .*|\bnao (?:precisa|e preciso|e necessario) mais .*|\bja nao precisa .*|\bnao precisa .*\bmais\b",
        called=r"(?:pode )?(?:me (?:chame|chamar|chama)|chame-me|chama-me)(?: de)?",
    ),
    "russian": Ways(
        marker=r"всегда|никогда|отныне|впредь|с этого (?:момента|дня)|с сегодняшнего дня|в дальнейшем|в будущем|каждый раз|теперь|кажд(?:ый|ом|ую|ое) (?:ответ|сообщени)\w*|по умолчанию|больше не",
        filler=r"пожалуйста|всегда|отныне|впредь|с этого (?:момента|дня)|с сегодняшнего дня|в дальнейшем|в будущем|теперь|только|также|тогда|ок|и|а|но|привет|лучше|по умолчанию|ты должен|прошу|хочу,? чтобы ты|вообще-то",
        negation=r"не|никогда не|больше не",
        verbs=r"отвечай|пиши|используй|применяй|показывай|указывай|называй|зови|добавляй|объясняй|переводи|обращайся|говори|предлагай|советуй|рекомендуй|ставь|начинай|заканчивай|завершай|приводи|напоминай|избегай|делай|считай|сокращай|проверяй|цитируй|округляй|вставляй|включай|упоминай|спрашивай|оставляй|предупреждай|исправляй|будь|пересчитывай|комментируй|отвечайте|пишите|используйте|показывайте|указывайте|называйте|зовите|добавляйте|объясняйте|говорите|обращайтесь|делайте",
        forbidden=r"используйте|используй|применяй|пиши|ставь|добавляй|вставляй|включай|упоминай|предлагай|называй|пишите|ставьте|добавляйте|обращайся",
        when=r"когда|если|каждый раз,? когда|всякий раз,? когда",
        asks=r"\b(?:прошу|попрошу|спрашиваю|спрошу|хочу|говорю|пишу|упоминаю|присылаю|отправляю|прошу|даешь|советуешь|предлагаешь|пишешь|отвечаешь|объясняешь|показываешь|речь идет)\b",
        style=r"\bхочу,? чтобы ты (?:всегда|никогда|больше не|теперь|впредь)\b|^(?:пожалуйста,? )?не называй меня\b|^(?:\w+ ){1,2}(?:указывай|пиши|показывай|называй|приводи|переводи)(?:те)?\b|^(?:пожалуйста,? )?давай(?:те)? (?:перейдем )?на (?:ты|вы)\b|^(?:пожалуйста,? )?(?:обращайся|обращайтесь) ко мне\b|^(?:пожалуйста,? )?(?:отвечай|пиши|говори) (?:мне )?(?:коротко|кратко|короче|подробно|по-\w+|на \w+ языке)|^без (?:эмодзи|смайл\w+|списков|таблиц|шуток|жаргона|воды|сокращений|ссылок)\b.*пожалуйста",
        stop=r"(?:перестань|хватит|прекрати|перестаньте) (?!это\b|так\b)\w+(?:ть|ться)\b(?! это\b)",
        prefer=r"\bя (?:\w+ )?предпочитаю\b|^предпочитаю\b|\bмне больше нрав(?:ится|ятся)\b|\b(?:мой|моя|мое|мои) любим(?:ый|ая|ое|ые)\b",
        end_that=r"\b(?:перестань|хватит|прекрати|перестаньте) (?:это|так)(?: делать)?\b|\b(?:больше так не|не) делай (?:так|этого) больше|\bбольше (?:так|этого) не делай|\bзабудь (?:это|последнее) (?:правило|указание|требование)",
        end=r"\b(?:можешь|можете|можно) (?:снова|опять) .*|\b(?:можешь|можете) .* (?:снова|опять)\b|\bбольше не (?:нужно|надо|обязательно) .*|\bне (?:нужно|надо) больше .*",
        called=r"(?:зови|зовите|называй|называйте) меня(?: просто)?",
    ),
    "french": Ways(
        marker=r"toujours|jamais|desormais|dorenavant|a partir de maintenant|a l'avenir|chaque fois|par defaut|chaque (?:reponse|message)",
        filler=r"s'il te plait|s'il vous plait|stp|svp|toujours|desormais|dorenavant|a partir de maintenant|a l'avenir|seulement|aussi|alors|ok|et|mais|bonjour|par defaut",
        negation=r"ne|n'",
        verbs=r"reponds|repondez|ecris|ecrivez|utilise|utilisez|montre|montrez|affiche|affichez|donne|donnez|ajoute|ajoutez|inclus|explique|expliquez|traduis|convertis|garde|mets|commence|termine|finis|demande|dis|rappelle|mentionne|cite|verifie|suggere|recommande|evite|parle|parlez|arrondis|resume|fais|laisse|corrige|sois|indique|indiquez|tutoie-moi|vouvoie-moi|appelle-moi|commente",
        forbidden=r"(?:utilise|utilisez|mets|ajoute|ecris|donne|commence|termine|mentionne)\b.*\bpas",
        when=r"quand|lorsque|si|chaque fois que",
        asks=r"\b(?:je|tu|on) (?:\w+ )?(?:demande\w*|veux|dis|ecris|mentionne|parle\w*|envoie|donnes|expliques|suggeres|proposes)\b",
        style=r"^(?:tutoie|vouvoie)[sz]?-moi",
        prefer=r"\bje (?:\w+ )?prefere\b|\bmon \w+ prefere est\b",
        end_that=r"\barrete (?:ca|de faire ca)\b|\bne fais plus ca\b",
        end=r"\btu peux (?:de nouveau|a nouveau) .*|\btu n'as plus besoin .*",
        stop=r"arrete d(?:e |')(?!faire ca)\w+(?:er|ir|re)\b",
        called=r"appelle[sz]?-moi",
    ),
    "italian": Ways(
        marker=r"sempre|mai|d'ora in poi|da adesso in poi|da ora in avanti|in futuro|ogni volta|per impostazione|ogni (?:risposta|messaggio)",
        filler=r"per favore|per piacere|sempre|d'ora in poi|da adesso in poi|da ora in avanti|in futuro|solo|anche|allora|ok|e|ma|ciao",
        negation=r"non",
        verbs=r"rispondi|scrivi|usa|usare|utilizza|mostra|mostrami|dai|dammi|aggiungi|includi|spiega|traduci|converti|mantieni|metti|comincia|inizia|termina|finisci|chiedi|di|ricorda|cita|controlla|suggerisci|consiglia|evita|parla|parlami|arrotonda|riassumi|fai|lascia|correggi|sii|indica|dammi del|chiamami|commenta",
        forbidden=r"usare|usa|mettere|aggiungere|scrivere",
        when=r"quando|se|ogni volta che",
        asks=r"\b(?:chiedo|voglio|dico|scrivo|parlo|mando|dai|spieghi|suggerisci|consigli)\b",
        prefer=r"\b(?:io )?preferisco\b|\bmi piac(?:e|ciono) di piu\b",
        end_that=r"\bsmetti(?:la)? di farlo\b|\bsmettila\b|\bnon farlo piu\b",
        end=r"\bpuoi .* di nuovo\b|\bnon serve piu .*",
        stop=r"smetti(?:la)? di (?!farlo)\w+(?:are|ere|ire)\b",
        called=r"chiamami",
    ),
    "dutch": Ways(
        marker=r"altijd|nooit|vanaf nu|voortaan|in het vervolg|in de toekomst|elke keer|standaard|elk (?:antwoord|bericht)",
        filler=r"alsjeblieft|graag|altijd|vanaf nu|voortaan|in het vervolg|alleen|ook|dan|ok|en|maar|hoi",
        verbs=r"antwoord|schrijf|gebruik|toon|laat|geef|voeg|noem|leg|vertaal|reken|houd|hou|zet|begin|eindig|sluit|vraag|zeg|herinner|vermeld|stel|vermijd|spreek|praat|rond|vat|maak|corrigeer|wees|citeer",
        forbidden=r"(?:gebruik|zet|schrijf|voeg|geef)\b.*\bgeen",
        when=r"als|wanneer|elke keer dat",
        asks=r"\b(?:ik|je) .*\b(?:vraag|wil|zeg|schrijf|geeft|stuur|noem)\b",
        prefer=r"\bik (?:\w+ )?(?:geef de voorkeur aan|verkies|heb liever|heb het liefst)\b",
        end_that=r"\b(?:stop|hou) daarmee(?: op)?\b|\bdoe dat niet meer\b",
        end=r"\bje mag .* weer\b|\bje hoeft .* niet meer\b",
        called=r"noem (?:me|mij)(?: voortaan)?",
    ),
    "polish": Ways(
        marker=r"zawsze|nigdy|od teraz|odtad|od dzis|w przyszlosci|za kazdym razem|domyslnie|kazd\w+ odpowiedz\w*",
        filler=r"prosze|zawsze|od teraz|odtad|od dzis|tylko|tez|wtedy|ok|i|ale|czesc|w przyszlosci",
        negation=r"nie|nigdy nie",
        verbs=r"odpowiadaj|pisz|uzywaj|pokazuj|podawaj|dodawaj|dodaj|tlumacz|wyjasniaj|przeliczaj|zaczynaj|koncz|pytaj|mow|przypominaj|cytuj|sprawdzaj|proponuj|polecaj|unikaj|zaokraglaj|rob|poprawiaj|badz|zwracaj|nazywaj|stosuj",
        forbidden=r"uzywaj|pisz|dodawaj|zaczynaj|koncz|proponuj|stosuj",
        when=r"kiedy|gdy|jesli|za kazdym razem,? gdy",
        asks=r"\b(?:prosze|pytam|poprosze|zapytam|chce|mowie|pisze|podajesz|piszesz|wysylam)\b",
        prefer=r"\b(?:ja )?(?:wole|preferuje)\b",
        end_that=r"\bprzestan(?: to robic| tak robic)?$|\bnie rob tego wiecej\b",
        end=r"\bmozesz znowu .*|\bnie musisz juz .*",
        stop=r"przestan (?!to\b|tak\b)\w+c\b",
        called=r"(?:mow|mowcie) (?:mi|do mnie)|nazywaj mnie",
    ),
    "turkish": Ways(
        marker=r"her zaman|hep|daima|asla|bundan sonra|bundan boyle|artik|her seferinde|her (?:cevap\w*|yanit\w*)|varsayilan olarak",
        filler=r"lutfen",
        verbs=r"[\w ,]*\b(?:cevap ver|yanit ver|yaz|kullan|kullanma|goster|ekle|ekleme|acikla|cevir|soyle|belirt|onerme|oner|basla|bitir|bitirme|hitap et|konus|hesapla|yazma|verme|ver)\b",
        prefer=r"\btercih ed(?:iyorum|erim)\b|\bdaha cok sev(?:iyorum|erim)\b",
        end_that=r"\b(?:bunu|sunu) (?:yapmayi birak|artik yapma)\b",
        end=r"\b(?:yeniden|tekrar) .*(?:abilirsin|ebilirsin)\b|\bartik .* gerek yok\b",
        called=r"bana",
    ),
}

# Scripts without spaces, and Arabic: whole patterns. A person's own habit ("我总是…") is no instruction.
EASTERN_INSTRUCTION = (
    r"(?<!我)(?<!我们)(?<!他)(?<!她)(?<!妈妈)(?<!爸爸)(?:总是|總是|始终|始終|一律|永远|永遠|每次(?:回答|回复|都)|从现在(?:起|开始)|從現在(?:起|開始)|从今以后|從今以後|从今往后|今后|今後|以后|以後|(?<!准)默认).*(?:用|使用|回答|回复|回覆|显示|顯示|写|寫|叫|称呼|稱呼|给|給|加|说|說|避免|提醒|保持|注明|列出|翻译|解释)"
    r"|^(?:请|請)?(?:不要|别|別|勿|不用)(?:再)?(?:使用|用|加|写|寫|说|說|叫)"
    r"|^(?:请|請)(?:用|使用).{1,8}(?:回答|回复|单位|單位)|^(?:请|請)?(?:简短|简洁|详细|詳細|簡短)(?:地)?(?:回答|回复)"
    r"|^(?:今後|これから(?:は)?|常に|必ず|いつも).*(?:て(?:ください|下さい)|で答えて|使って|してください|しないで)"
    r"|^(?:앞으로|항상|언제나|지금부터).*(?:줘|주세요|하세요|답해|마세요|말아)"
    r"|^(?:(?:من فضلك|رجاء)،? )?(?:دائما|من الان فصاعدا|ابدا لا|لا) (?:\w+ )*?(?:استخدم|اجب|اكتب|اعرض|اضف|تستخدم|تكتب|تضف)"
    r"|^(?:استخدم|اجب|اكتب|اعرض|اضف) .*(?:دائما|من الان فصاعدا)"
)
EASTERN_CONDITION = (
    r"(?:^|[，,。])(?:当|當|如果|若|要是|每当|每當|每次)?我?(?P<c>(?:我?(?:要|问|問|请你|請你|需要|想要|说|說|提到|写|寫|发|發|谈|談)).{1,24}?)(?:的时候|的時候|时|時|，|,)"
    r".{0,10}?(?:请|請|就|都|要|加|用|给|給|写|寫|注明|列)"
    r"|^(?P<g>[^，,。？?]{1,16}?)(?:的时候|的時候|时|時)[，,]?(?:请|請|都|就).{0,4}?(?:写|寫|加|用|给|給|注明|列|说|說|附)"
    r"|(?P<d>.{1,20}?)(?:を(?:頼|聞|質問)\w*|について聞\w*)(?:とき|時|たら|ば)(?:は)?、?.*(?:て|で)(?:ください|ね)?"
    r"|(?P<e>.{1,20}?)(?:을|를) (?:부탁|물어|요청)\S*(?: 때|면).*(?:줘|주세요)"
    r"|(?:عندما|اذا|كلما) (?:اطلب|طلبت|سالت|اسال) (?P<f>[\w ]{2,30})[،,] ?(?:اضف|استخدم|اعط|اكتب)"
)
EASTERN_PREFERENCE = (
    r"我(?:更|比较|比較|还是|還是)?(?:喜欢|喜歡)用?.*(?:胜过|勝過|多过|而不是)|我更(?:喜欢|喜歡|倾向|傾向|爱|愛)|我(?:偏好|偏爱|偏愛|宁愿|寧願)|比起.*我(?:更|比较)"
    r"|より.*の(?:方|ほう)が好き|(?:보다|더) .*(?:선호|좋아)|(?:افضل|أفضل) \w+ (?:على|عن)"
)
EASTERN_CALLED = r"(?:^|[，,。！! ])(?:请|請|你)?(?:以后|以後|今后|今後|就|可以)?(?:叫我|称呼我为?|稱呼我為?|喊我)(?!的|去|来|來|起床|吃|帮|幫|怎么|一声)\S{1,8}|(?:私|僕|俺)(?:の\w+)?(?:を|のこと(?:は|を))\S{1,10}(?:と呼んで|って呼んで)|(?:나를|저를) \S{1,10}(?:라고|이라고) 불러|(?:نادني|سمني) \S+"
EASTERN_END_THAT = r"(?:别|別|不要|不用)再?(?:这样|這樣|那样|那樣|这么|這麼)(?:做|说|說|写|寫)?了?|もうそれはやめて|그만(?:해|하세요)|توقف عن (?:ذلك|هذا)"
EASTERN_END = r"可以(?:重新|再次|再|继续|繼續)(?:使用|用|加|写|叫)|(?:不用|不必|不需要|无需)再.*了|また.*(?:使って|して)(?:も)?(?:いい|大丈夫)|(?:다시) .*(?:써도|해도) (?:돼|됩니다)|يمكنك .* مجددا"

SUBORDINATE = r"\b(?:to|why|that|about|how|who|which|what|where|when|if|because|warum|dass|wie|weil|wenn|que|porque|como|почему|что|как|pourquoi|parce|comment|perche|omdat|dat)\b|:"
"""Between a verb and a later marker these say that the marker is another clause's ("explain why it always rains")."""
SELF = r"\b(?:i|we|he|she|they|my|our|ich|wir|er|mein\w*|unser\w*|yo|nosotros|mi|mis|el|ella|eu|nos|minha?s?|ele|ela|я|мы|он|она|они|мой|моя|je|nous|il|elle|mon|ma|io|noi|mio|mia)\b|i'(?:ll|m|d|ve)\b|我"
"""Somebody other than the bot is told about."""
OPENING = (
    r"(?:^|[,;—–]\s*|\s-\s|^(?:note|rule|remember|important|wichtig|regel|regla|importante|regra|важно|правило):\s*)¡?"
)
"""Where a clause begins."""
REQUEST = r"^(?:please,? )?(?:can|could|would|will) you|^(?:kannst|konntest|konnten) (?:du|sie)|^(?:puedes|podrias)|^(?:voce )?(?:pode|poderia)|^(?:можешь|можете|мог бы)|^(?:能|可以|你能)"
"""A question that asks for something to be done."""

CONDITIONS = (
    EASTERN_CONDITION,
    r"\b(?:when(?:ever)?|if|every time|each time|any ?time)\s+(?!possible|in doubt|needed|necessary)([^,;.]{3,80})",
    r"(?:^|\b(?:units|use|give|show|add|include|keep) [^,;.]{0,60}\b|, )for (?!example|now|me\b|my sake|the moment|the future|all|any|every|each|once|good|ever|answers|your)([^,;.]{3,40})",
    r"\b(?:wenn|falls|immer wenn|sobald|jedes ?mal,? wenn)\s+(?!moglich)([^,;.]{3,80})",
    r"\b(?:cuando|siempre que|cada vez que)\s+([^,;.]{3,80})|^si\s+([^,;.]{3,80})|\bsi (?:te|me|yo) ([^,;.]{3,80})",
    r"\b(?:quando|sempre que|(?:toda|cada) vez que|ogni volta che)\s+([^,;.]{3,80})|^se\s+([^,;.]{3,80})|\bse (?:eu|te|io|ti) ([^,;.]{3,80})",
    r"\b(?:когда|если|(?:каждый|всякий) раз,? когда)\s+(?!возможно|нужно|можно)([^,;.]{3,80})",
    r"\b(?:quand|lorsque|chaque fois que)\s+([^,;.]{3,80})|^si\s+([^,;.]{3,80})",
    r"\b(?:wanneer|elke keer (?:dat|als))\s+([^,;.]{3,80})|^als\s+([^,;.]{3,80})",
    r"\b(?:kiedy|gdy|jesli|za kazdym razem,? gdy)\s+([^,;.]{3,80})",
)
"""What a wish depends on ("when I ask for code"), the condition in a group."""
CHOICE = (
    r"\bwhich\b|\bshould i\b|\brecommend|\bsuggest|\bwhat .*\b(?:buy|choose|take|get|pick|use|order|wear)\b|\bplan\b|\bchoose\b|\bdecide|\bpick\b|\bbook\b|\bideas? for\b|\bgift\b|\bhelp me (?:with|find|set)"
    r"|\bwelche[rsnm]?\b|\bsoll(?:te)? ich\b|\bempfiehl|\bempfehl|\bvorschlag|\bschlag\w* .*\bvor\b|\bcual(?:es)?\b|\bque .*\b(?:compro|elijo|uso|tomo|escojo)\b|\brecom[ie]+nd|\bsugier|\bdeberia\b"
    r"|\bqual\b|\bquais\b|\bque .*\b(?:compro|escolho|uso)\b|\bsugir|\bdevo\b|\bdevia\b|\bкак(?:ой|ую|ое|ие)\b|\bпосовет|\bпореконмед|\bпорекоменд|\bпредлож|\bвыбрать\b|\bстоит ли\b"
    r"|\bquel(?:le)?s?\b|\bconseill|\bdevrais\b|\bquale\b|\bconsigli|\bdovrei\b|\bwelke\b|\bmoet ik\b|\bktory\b|\bpolec|\bhangi\b|\boner"
    r"|哪个|哪個|哪种|哪種|推荐|推薦|建议|建議|该(?:买|用|选|不该)|選|选|おすすめ|どれ|どの|추천|어떤|انصح|اقترح|اي "
)
"""A question for which something is to be chosen or made."""
ASPECTS: Mapping[str, str] = {
    "name": (
        r"(?<!don't )(?<!not )(?<!never )(?<!не )(?<!nao )(?:"
        + "|".join(rf"\b(?:{ways.called})\b" for ways in WAYS.values() if ways.called != "bana")
        + r")|叫我|称呼我|稱呼我|喊我|呼んで|불러|نادني|سمني"
    ),
    "emojis": (r"emoji|emotic|smile?y|смаил|эмодзи|表情|絵文字|顔文字|이모"),
    "units": (
        r"metric\b|imperial|kilomet|\bmiles?\b|metrisch|kilometer|\bmeilen?\b|metrico|\bmillas\b|quilomet|\bmilhas?\b|metrique|\bmigli[ae]\b|метрич|километр|\bмил(?:ь|и|ях)|公制|英制|公里|英里|千米|キロ|マイル|킬로|마일|كيلومتر|ميل"
    ),
    "temperature": (r"celsius|fahrenheit|kelvin|цельси|фаренгеит|摄氏|攝氏|华氏|華氏|摂氏|섭씨|مئوية"),
    "clock": (r"24-? ?(?:hour|h\b|stunden|horas|heures|час)|12-? ?(?:hour|h\b|stunden|horas|heures|час)|24小时|12小时"),
    "length": (
        r"\b(?:short(?:er|ly)?|brief(?:ly)?|concise(?:ly)?|long(?:er)?|detailed|in detail|in depth|kurz\w*|knapp\w*|ausfuhrlich\w*|breve(?:mente|s)?|cort[oa]s?|detall(?:e|ada|adas|ado|ados)?|larg[oa]s?|curt[oa]s?|detalh\w*|long[oa]s|court(?:e|es|s)?|bref|brevi?|коротк\w+|кратк\w+|короче|подробн\w+|krotk\w+|uzun|kisa|beknopt|uitgebreid)\b"
        r"|简短|简洁|簡短|簡潔|详细|詳細|短く|詳しく|짧게|자세히"
    ),
    "form of address": (
        r"\b(?:duze?|sieze?)\b|\b(?:per|mit) (?:du|sie)\b|\btutea|\b(?:de|por) (?:tu|usted|voce)\b|\b(?:tutoie|vouvoie)|\bdarmi del|\bна [«\"“]?(?:вы|ты)\b"
    ),
    "language": (
        r"\b(?:answer(?:ing)?|reply(?:ing)?|respond(?:ing)?|speak(?:ing)?|talk(?:ing)?|writ(?:e|ing))\b.*\bin (?:\w+ )?(?:english|german|french|spanish|italian|portuguese|russian|chinese|japanese|korean|dutch|polish|turkish|arabic|hindi|ukrainian|swedish)"
        r"|\bauf (?:deutsch|englisch|franzosisch|spanisch|russisch)|\ben (?:espanol|ingles|aleman|frances|italiano|anglais|francais|espagnol|allemand)\b|\bem (?:portugues|ingles|espanhol|alemao)\b"
        r"|\b(?:по-|на )(?:русск|англииск|немецк|испанск|французск|китаиск)|用?(?:中文|英文|英语|英語|日语|日文|法语|德语|西班牙语|俄语)(?:回答|回复|写|说)?|日本語で|英語で|한국어로|영어로|بالعربية|بالانجليزية"
    ),
}
"""The sides of the answers themselves; of each only the last wish holds."""
GENERIC = (
    "i you me my your we us it the a ask asks asked want wants need needs request requests give gives show tell say write"
    " answer answers reply replies respond response responses always never use uses using please now when if every each"
    " add include keep make end ask question questions about prefer prefers like likes call calls future instead more"
    " start stop again anymore best good new message messages user talk mention send from",
    "ich du mir mich dein bitte frage fragen fragt antworte antwort antworten immer nie verwende benutze benutzen nutze gib"
    " zeige nenne schreib schreibe wenn falls jede will brauche bevorzuge lieber wieder ab jetzt kunftig künftig füge hinzu kannst",
    "yo tú te me tu por favor siempre nunca usa usar uses muestra responde respuesta respuestas cuando si pida pido pregunte"
    " da dar quiero prefiero cada ahora adelante puedes otra vez nuevo añade di",
    "eu você te me por favor sempre nunca use usar mostre responda resposta respostas quando se pedir peço perguntar dê dar"
    " quero prefiro cada agora diante pode novo adicione uma um que",
    "я ты мне меня пожалуйста всегда никогда используй использовать показывай указывай отвечай ответ ответы ответа когда"
    " если прошу спрашиваю хочу предпочитаю каждый теперь впредь отныне можешь снова добавляй больше",
    "je tu toujours jamais utilise réponds réponse réponses quand demande veux préfère chaque nouveau",
    "io tu sempre mai usa rispondi risposta risposte quando chiedo voglio preferisco ogni nuovo",
    "我要 请使 使用 以后 从现 现在 在起 回答 每次 始终 总是 时候 我问 如果 当我 要的 的时 候请 请加 加上 我更 更喜 喜欢 我偏 偏好 好的 的回 可以 以重 重新 新使 用了 "
    "请用 用来 来写 我的 请不 不要 要使 比起 都用 表示 今后 起请 开始 始请 写一 请你 给我 我一 一个 个的 什么 怎么",
)
"""Words that any wish may have, and that say nothing about what it is about."""
