"""English words that say nothing about what a text is about: about 300, our own list.

Function words (articles, pronouns, prepositions, conjunctions, auxiliaries and their short forms), words of degree and
order, numbers in words up to ten, and a few verbs and nouns that go with any topic. Words of a topic are left in,
however frequent they are; a maximum document frequency takes those out.
"""

from __future__ import annotations

_LISTS = (
    # articles, determiners, quantities
    "a an the this that these those each every either neither some any no none all both half such another other others "
    "much many more most few fewer little less least several enough own same certain various",
    # pronouns
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers "
    "herself it its itself they them their theirs themselves one ones who whom whose which what anybody "
    "anyone anything everybody everyone everything nobody nothing somebody someone something",
    # prepositions and particles
    "about above across after against along among around at before behind below beside besides "
    "between beyond by down during except for from in inside into like near of off on onto out outside over past per "
    "regarding since through throughout till to toward towards under until up upon versus via with within "
    "without",
    # conjunctions
    "and but or nor so yet if unless whether because although though while whereas than as once",
    # auxiliaries
    "am is are was were be been being do does did doing done have has had having can could may might must shall should "
    "will would ought cannot let get gets got",
    # short forms
    "aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mustn't shouldn't wasn't weren't won't "
    "wouldn't i'm i've i'd i'll you're you've you'd you'll it'll we're we've we'd we'll "
    "they're they've they'd they'll let's",
    # question words, place, time
    "when where why how whenever wherever however here there whereby wherein now then again ago "
    "already always ever never often sometimes soon still today later",
    # degree, order, manner
    "also almost even indeed instead just maybe moreover furthermore nearly nevertheless not only otherwise "
    "perhaps quite rather really therefore thus hence too very well respectively especially particularly usually "
    "generally approximately simply yes",
    "first second third last next former latter",
    "zero two three four five six seven eight nine ten",
    # verbs and nouns of any topic
    "say says said make makes made go goes went gone come came take takes took taken give given see seen use used "
    "using seem seems seemed become became include includes included including etc et al ie eg thing things way ways",
)  # fmt: skip

STOP_WORDS: frozenset[str] = frozenset(" ".join(_LISTS).split())
