"""The little English grammar that turns questions into statements: verbs, their forms, closed word classes."""

from __future__ import annotations

from functools import lru_cache

from training.english.inflection import IRREGULAR, present
from training.english.lists import words

BASE_VERBS = words(
    """accept accompany accomplish account accuse achieve acknowledge acquire act adapt add address adjust administer
    admit adopt advance advise affect aim air allow alter announce answer appeal appear apply appoint approach
    approve argue arise arrange arrest arrive ask assert assign assist associate assume attach attack attain
    attempt attend attract attribute authorize avoid award ban base bat be bear beat become begin behave believe
    belong benefit bet bid bind blame block blow boast bomb book border borrow break bring broadcast build burn
    buy calculate call campaign cancel capture care carry cast catch cause cease celebrate challenge change
    characterize charge chart check choose cite claim classify climb close coin collapse collect combine come
    command comment commission commit compare compete compile complain complete compose comprise conceive
    conclude condemn conduct confess confirm connect conquer consider consist constitute construct consume
    contain continue contract contribute control convert convict convince cook cooperate cope cost count cover
    create criticize cross cut date deal debut decide declare decline decrease dedicate defeat defend define
    deliver demand demonstrate deny depart depend depict derive describe deserve design destroy detect determine
    develop devote die differ direct disappear discover discuss dislike dismiss display distribute divide do
    dominate donate double doubt draft draw drink drive drop earn eat educate elect eliminate emerge emigrate
    emphasize employ enable encounter encourage end endorse enforce enhance enjoy enlist ensure enter entitle
    equal erupt escape establish estimate evolve examine exceed exchange execute exercise exhibit exist expand
    expect experience expire explain explore export expose express extend face fail fall favor fear feature feed
    feel fight file fill film find finish fire fit fix flee float flow fly focus follow force forecast form
    found free function fund gain gather generate get give go govern grant graduate grow guarantee guard guide
    handle hang happen hate have head heal hear help hire hit hold honor host house hunt hurt identify ignore
    illustrate imagine impact implement import impose improve include incorporate increase indicate induce
    influence inform inhabit inherit initiate insist inspect inspire install intend interact introduce invade
    invent invest investigate invite involve issue join judge jump justify keep kick kill know lack land last
    launch lay lead learn leave lend let license lie lift like limit link list listen live locate look lose love
    maintain make manage manufacture march mark marry match matter mean measure meet mention merge migrate
    modify monitor move name need negotiate nominate note notice notify number obey observe obtain occupy occur
    offer open operate oppose order organize originate outlaw outline overcome oversee owe own paint participate
    pass pay perceive perform permit persuade pick pitch place plan plant play plead point portray pose possess
    post practice praise predict prefer prepare present preserve press prevent print process produce project
    promise promote prompt propose protect protest prove provide publish pull purchase pursue push put qualify
    question quit raise range rank reach react read realize receive recognize recommend record recover recruit
    reduce refer reflect refuse regard register regulate reject relate release rely remain remember remove
    render renew rent repeat replace report represent request require rescue resemble reserve reside resign
    resist resolve respond rest restore restrict result retain retire return reveal review rise rule run sail
    save say score search seat secure see seek seem select sell send separate serve set settle shape share shift
    shoot show shut sign sing sink sit sleep slow solve sound speak specialize specify spend split sponsor
    spread stage stand star start state stay steal step stop store strengthen strike struggle study submit
    succeed suffer suggest supply support surpass surrender surround survive suspect suspend swear swim switch
    take talk target teach tell tend terminate test thank think threaten throw tie total touch tour trace track
    trade train transfer transform translate travel treat trigger trust try turn undergo understand undertake
    unite update use utilize value vary view visit vote wait walk want warn wash watch weaken wear weigh win
    wish withdraw witness wonder work worry worship write yield abandon abolish absorb accelerate compensate
    crash debate diagnose disclose dissolve entail evaluate fine honour interview label nickname outnumber
    pioneer premiere process qualify rate rebuild reopen resent sue top violate wed agree hope miss denote
    advocate imply commence resume remind fuse communicate engage pledge overlap circulate enact seize thrive
    collaborate discriminate concentrate enroll distinguish optimize embrace regain punish exclude equate
    testify proceed subscribe contradict integrate unify proclaim stabilize incur satisfy rotate accumulate
    descend confuse collide coexist coincide activate erode endure falter deploy greet impress cultivate fulfill
    urge reconcile anticipate diminish sustain tackle solicit embody upgrade unfold relinquish intervene
    prohibit apologize uncover analyze bite dig forget hide ride shake wake advertise refer rely retrieve accrue
    allocate amortize forfeit"""
)
# Base forms that stand before the real verb far too often as nouns or adjectives.
SHY_VERBS = words(
    """act account age aim air answer attack award base book border call campaign care cast cause challenge charge
    chart check claim command comment commission contract control cost count cover cut date deal debate debut
    demand design direct display double draft drink drop end exchange exercise experience export express face
    fall fear feature film fine fire focus force form found free function fund grant guard guide head help host
    house hunt impact import increase influence interview issue judge jump label land last launch lead license
    lie lift like limit link list love march mark match matter mean measure need note notice number offer open
    order own paint pass pay pick pitch place plan plant play point post practice present press print process
    project promise protest purchase question range rank rate reach record register release rent report request
    rescue research reserve rest result return review rise rule run sail save score search seat set shape share
    shift show sign sound split spread stage stand star start state stay step stop store strike struggle study
    supply support surprise suspect switch talk target test tie top total touch tour trace track trade train
    transfer travel treat trigger trust turn update use value view visit vote wait walk warm wash watch wish
    witness wonder work worry yield close complete separate slow equal total fit"""
)
_PASTS = {past for past, _ in IRREGULAR.values()}
_PARTICIPLES = {participle for base, (_, participle) in IRREGULAR.items() if participle != base} | words("born gotten")

BE = words("is are was were")
DO = words("do does did")
HAVE = words("has have had")
MODALS = words("can could will would shall should may might must")
AUXILIARIES = BE | DO | HAVE | MODALS
DETERMINERS = words(
    "the a an this that these those his her its their our your my each every any some no all both another most many "
    "several few such other certain"
)
PRONOUNS = words("he she it they we you i him them us me one someone somebody there people")
PREPOSITIONS = words(
    "of in on at by for from to with without about into onto over under between among against during after before "
    "through throughout as than like near within until since toward towards upon across around behind off per via "
    "along beyond outside inside up down out"
)
ADJECTIVES_AFTER_BE = words(
    """responsible able available popular important similar different common likely unlikely present part due known
    equal famous eligible subject aware unable necessary dangerous liable capable worth involved located based
    used true essential critical open closed exempt home next close native prominent visible prevalent unique
    wrong worried concerned upset happy unhappy afraid credited married alive dead killed ill free"""
)
_NOT_PARTICIPLES = words(
    """united red hundred need bed seed speed feed breed indeed sacred hatred wed shed embed deed weed greed reed sled
    fred ted bring king ring spring string thing nothing something anything everything building morning evening
    wedding meeting beijing sing wing during beginning offspring ceiling ending meaning setting being hearing
    training painting recording opening amending rating ranking housing funding clothing advertising marketing
    offering according following spending reading"""
)
_NOT_THIRD = words("its this his us as was is has does thus bus plus texas james paris less news yes class various")


def is_participle(word: str) -> bool:
    """A past or present participle (or a past form that is spelled alike)."""
    if word in _PARTICIPLES:
        return True
    return word not in _NOT_PARTICIPLES and len(word) > 3 and word.endswith(("ed", "ing"))


def is_past(word: str) -> bool:
    return word in _PASTS or (word.endswith("ed") and len(word) > 3 and word not in _NOT_PARTICIPLES)


def is_third_person(word: str) -> bool:
    return word not in _NOT_THIRD and word.endswith("s") and any(third_person(base) == word for base in _stems(word))


def _stems(word: str) -> list[str]:
    stems = [word[:-1], word[:-2], word[:-3] + "y"]
    return [stem for stem in stems if stem in BASE_VERBS]


@lru_cache(maxsize=5000)
def third_person(verb: str) -> str:
    if verb == "be":
        return "is"
    return verb + "es" if verb.endswith("o") else present(verb)


SHY_THIRD = frozenset(third_person(verb) for verb in SHY_VERBS)  # "results", "plays": as often plural nouns
