"""Formal words and phrases with plain ones that mean the same. Verbs are inflected; the rest stands as written."""

from __future__ import annotations

from functools import cache

from training.english.inflection import forms

# A verb with "*" is also a noun: it is replaced only where it must be a verb.
_VERBS = """purchase*=buy terminate=end commence=begin|start utilize=use utilise=use
furnish=provide|supply obtain=get|gain endeavor=try endeavour=try ascertain=find_out|determine assist=help
cease=stop|discontinue conclude=end demonstrate=show disclose=reveal discontinue=stop|end effectuate=carry_out
employ=engage establish=set_up|found execute=sign expend=spend
forward*=send indemnify=compensate|hold_harmless initiate=start|begin inquire=ask locate=find maintain=keep
modify=change|alter notify=inform|tell inform=notify permit*=allow possess=have|own procure=obtain|get
prohibit=forbid|ban remit=pay|send remunerate=pay|compensate render=give|provide retain=keep
reveal=disclose state*=say submit=hand_in|file
transmit=send vacate=leave validate=confirm amend=change|modify alter=change adhere_to=follow|comply_with
comply_with=follow|observe appoint=name|designate
construct=build relocate=move encounter=meet|face deem=consider
deliver=hand_over designate=name|appoint destroy=get_rid_of elect=choose enable=allow
enlarge=expand enumerate=list exceed=go_beyond|surpass finance*=fund|pay_for
fulfill=meet|satisfy fulfil=meet|satisfy implement=carry_out|put_in_place
incur=bear|run_up manufacture*=make|produce necessitate=require|call_for
occupy=use|take_up participate_in=take_part_in preserve=keep
prevent=stop proceed=go_ahead publish=bring_out|release recommend=suggest rectify=correct|fix
relinquish=give_up remedy*=cure|correct request*=ask_for rescind=cancel|revoke
revoke=cancel|withdraw safeguard*=protect satisfy=meet|fulfil supply*=provide surrender*=give_up
suspend=halt|pause transfer*=pass_on|hand_over violate=breach|break withhold=hold_back|keep_back
accumulate=gather|build_up acknowledge=recognize announce=make_public|declare anticipate=expect
compensate=pay consume=use_up cooperate=work_together
depart=leave depict=show|portray develop=build|create diminish=shrink|decline
encourage=urge enlist=sign_up erect=build examine=look_at|study expire=lapse|run_out
grant*=give|award hire*=employ|take_on illustrate=show inhabit=live_in injure=hurt|harm investigate=look_into
introduce=bring_in leverage*=use oversee=supervise own=hold produce=make|turn_out
promote=advance reimburse=pay_back|repay reject=turn_down|refuse
replace=take_the_place_of resign=step_down supervise=oversee
transport*=carry|move visit*=go_to witness*=see"""
_PHRASES = """prior to=before|ahead of;subsequent to=after|following;in the event that=if|where
in the event of=if there is;pursuant to=under|in accordance with|according to
in accordance with=according to|in line with|under;in respect of=about|concerning
with respect to=regarding|concerning|about;in connection with=in relation to|relating to
for the purpose of=for;for the avoidance of doubt,=to be clear,;in lieu of=instead of
at such time as=when;during the term of=for the duration of;notwithstanding=despite|regardless of
in order to=to|so as to;as a result of=because of|owing to
due to=because of|owing to|as a consequence of;because of=due to|on account of
in excess of=more than|over;not less than=at least|no less than;no less than=at least
at least=no less than|not less than;not more than=no more than|at most
no more than=at most|not more than;no later than=not later than;not later than=no later than
including, without limitation,=including;including but not limited to=including|among others
including, but not limited to,=including;provided that=on condition that
provided, however, that=but only if|on condition that;except for=apart from|other than
with the exception of=except for;by means of=by|through;by virtue of=because of|under
in addition to=besides|on top of|as well as;set forth in=stated in|laid out in|given in
set out in=stated in|given in;as set forth in=as stated in;hereunder=under this agreement
hereof=of this agreement;herein=in this agreement|in this document;thereof=of it
hereto=to this agreement;thereafter=after that;therein=in it;the parties hereto=the parties
this Agreement=the agreement|this contract|the contract;this agreement=the agreement|this contract
shall be deemed to be=counts as|is treated as;is entitled to=has the right to|has a right to
has the right to=is entitled to|may;are entitled to=have the right to
have the right to=are entitled to|may;is required to=must|has to;are required to=must|have to
is obligated to=must|is required to;is responsible for=has responsibility for
in full force and effect=in force;null and void=void;terms and conditions=terms;any and all=all|any
each and every=every|each;sole discretion=own discretion;from time to time=at times|now and then
at all times=always;on behalf of=for;a number of=several|some;in writing=in written form
written notice=notice in writing;prior written consent=advance written consent
prior written notice=advance written notice;consent of=approval of
upon receipt of=on receiving|after receiving
upon termination of=when there is a termination of|on termination of;at the request of=when asked by
promptly=quickly|without delay;solely=only|exclusively;exclusively=only|solely
approximately=about|around|roughly;additional=further;sufficient=enough;numerous=many
subsequently=later|afterwards;previously=earlier;currently=at present|now|at the moment
annually=every year|each year|yearly;per annum=per year|a year|annually;such as=like
primarily=mainly|chiefly|mostly;mainly=primarily|chiefly;generally=usually;frequently=often
often=frequently;rarely=seldom;the majority of=most|more than half of;most of=the majority of
located in=situated in|based in;headquartered in=based in;is located in=lies in|is situated in
a subsidiary of=a company owned by;fiscal year=financial year;employees=staff|workers
personnel=staff;attorney=lawyer;attorneys=lawyers;premises=property;automobile=car;residence=home
remuneration=pay|compensation;objective=goal|aim;objectives=goals|aims;obligations=duties
obligation=duty;portion=part|share;commencement=start|beginning;termination=ending|end
expiration=expiry|end;expiry=expiration|end;amendment=change;modification=change;assistance=help
duration=length;entire=whole;initial=first;adjacent to=next to;located at=situated at;whereas=while
while=whereas;whilst=while;upon=on;within the meaning of=as defined in;film=movie;movie=film
was released in=came out in;was founded in=was established in|was set up in
was established in=was founded in;is known for=is famous for;is famous for=is well known for
also known as=also called;also called=also known as;began=started
approximately equal to=about equal to;children=kids;such as the=like the;as of=at|as at
took place in=was held in;was held in=took place in;passed away=died;was appointed=was named
was named=was appointed;consists of=is made up of;comprises=consists of|is made up of
is composed of=consists of;adversely affect=harm|hurt|have a negative effect on
materially=significantly|considerably;significantly=considerably|substantially
substantial=considerable|significant;significant=considerable|substantial
third parties=outside parties|others;third party=outside party
is subject to=falls under;shareholders=stockholders;stockholders=shareholders
shareholder=stockholder;stockholder=shareholder;corporation=company;firm=company;earnings=profits"""


@cache
def plain_words() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Replacements that always hold, and those that hold only where a verb must stand."""
    anywhere: dict[str, tuple[str, ...]] = {}
    verbs_only: dict[str, tuple[str, ...]] = {}
    for rule in _VERBS.split():
        verb, _, others = rule.replace("_", " ").partition("=")
        ambiguous, options = verb.endswith("*"), others.split("|")
        same_past = len(set(forms(verb.rstrip("*"))[2:4])) == 1
        options = [other for other in options if not same_past or len(set(forms(other)[2:4])) == 1]
        kinds = zip(forms(verb.rstrip("*")), *(forms(other) for other in options), strict=True)
        for place, (old, *new) in enumerate(kinds):
            if new and not (ambiguous and place in (1, 4)):
                (verbs_only if place == 0 else anywhere)[old] = tuple(new)
    for rule in filter(None, _PHRASES.replace("\n", ";").split(";")):
        old, _, others_text = rule.partition("=")
        anywhere[old] = tuple(others_text.split("|"))
    return anywhere, verbs_only
