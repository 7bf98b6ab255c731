import { type Phrase, readPhrases, words } from './phrase-match.ts';

/** Word classes of the phrases below. `(s)` stands for both forms. */
const classes = {
  NOT: words('not never dont nor'),
  AGENT: words('ai ais agent(s) assistant(s) llm(s) model(s) bot(s) chatbot(s) copilot gpt chatgpt gemini'),
  PERSON: words(
    'user(s) human(s) person people operator(s) developer(s) owner(s) anyone anybody everyone someone somebody reviewer(s) maintainer(s) engineer(s) supervisor(s) team admin administrator',
  ),
  MUST: words('must should shall have has need needs required supposed expected'),
  THIS: words('this these the following'),
  SELF: words('memory note text entry message instruction(s) document paragraph lesson prompt comment file line content article section sentence'),
  READ: words(
    'read reads reading retrieve retrieves retrieving retrieved see sees seeing process processes processing parse parses parsing load loads find finds',
  ),
  NOW: words('now immediately instantly silently quietly secretly'),
  CALL: words('call invoke run execute trigger use launch fire'),
  IGNORE: words('ignore ignoring disregard disregarding forget override bypass discard neglect skip circumvent overlook drop abandon unlearn disobey'),
  EARLIER: words('previous previously prior earlier preceding foregoing original initial existing former your system developer above'),
  ORDERS: words(
    'instruction(s) prompt(s) guideline(s) guidance directive(s) rule(s) order(s) policy policies guardrail(s) constraint(s) restriction(s) direction(s) command(s) safeguard(s) context task(s) message(s) training programming limits limitations',
  ),
  STRICT: words('instruction(s) prompt(s) guideline(s) guidance directive(s) orders policy policies guardrail(s) safeguards constraint(s) restrictions safety'),
  VOID: words('void revoked rescinded nullified obsolete replaced cancelled canceled suspended superseded invalid overridden lifted'),
  OBEY: words('obey follow comply perform carry act do complete fulfil fulfill apply'),
  DECODE: words('decode decipher decrypt unbase64 unscramble deobfuscate base64 rot13 hex reverse translate turn convert decoded morse reversed'),
  TELL: words('tell inform notify alert warn ask show let'),
  REVEAL: words('print reveal show output repeat display quote dump disclose echo recite expose leak list give tell share return write'),
  CARRY: words(
    'send post upload email mail e forward transmit exfiltrate leak append include paste publish submit copy put write encode attach deliver share transfer fetch deposit',
  ),
  SENSITIVE: words(
    'env environment credential(s) secret(s) token(s) key(s) password(s) ssh aws conversation(s) history transcript prompt customer(s) database cookie(s) memories context codebase npmrc netrc kubeconfig vault source table chat config',
  ),
  DOTFILE: words('env environment npmrc netrc ssh aws id kubeconfig credentials passwd shadow private'),
  PLACE: words(':// @ webhook url gist pastebin parameter subdomain dns public endpoint server address link issue'),
  DISABLE: words('disable disabling off remove delete skip bypass drop deactivate'),
  SAFETY: words(
    'scanner scan scanning check(s) protection(s) preflight policy policies review(s) audit guardrails safety firewall sandbox test(s) screening logging login approval(s) verification authentication signature(s) linter filter(s) safeguards',
  ),
  REPLY: words('reply replies response(s) answer(s) message(s) output summary report completion(s) turn'),
  RESPOND: words('say reply respond answer recommend tell claim state suggest advise assure report'),
  ALL: words('all any every everything each whatever'),
  PARA: words('this these memory note text entry message instruction(s) paragraph rule'),
} as const;

/**
 * What texts that give orders to their reader say. A line is a weight, a sign and a phrase: class names stand for any word of the class,
 * `~n` for up to n words, `$` for the end of a sentence. Weight 2 is enough by itself; lines of weight 1 need another sign nearby.
 */
const table = `
2 override IGNORE ~3 EARLIER ~2 ORDERS
2 override IGNORE ~3 ORDERS ~2 above|before|earlier|previously|hitherto
2 override IGNORE ~3 ORDERS ~3 you ~1 were|got|received|have|had
2 override IGNORE ~2 ALL ~2 STRICT
2 override IGNORE|forget ~2 everything|anything|what|whatever|all ~6 told|said|learned|learnt|instructed|taught
2 override IGNORE ~2 everything|anything ~2 know
2 override IGNORE ~2 everything|anything ~1 above|before|earlier ~1 $|and
2 override IGNORE ~1 above|foregoing ~3 instead|answer|say|respond|reply|print|output|do
2 override IGNORE|stop ~3 block|blocking ~1 verdict|verdicts
1 override IGNORE ~1 ALL ~2 rule|rules|verdict|verdicts|check|checks
1 override IGNORE ~2 above|foregoing
2 override NOT ~1 follow|obey|heed|trust ~3 EARLIER ~2 ORDERS
2 override NOT ~1 follow|obey|heed ~1 policies|guidelines|instructions|directives|orders ~6 more|longer
2 override stop|cease|quit ~1 following|obeying|heeding ~3 ORDERS
2 override pay no ~1 attention|heed ~2 to ~4 ORDERS
2 override set|put|lay ~3 aside ~4 EARLIER ~2 ORDERS
2 override set|put|lay|leave aside ~3 EARLIER ~2 ORDERS
2 override your ~2 ORDERS ~4 no longer apply|hold|bind|count|matter
2 override ORDERS ~2 you ~3 received|given|got|had ~6 VOID
2 override EARLIER|all|your ~1 directive|directives|instructions|orders|prompt ~4 VOID
1 override EARLIER ~1 ORDERS ~4 no longer apply|hold|bind
2 override ORDERS ~2 your ~3 VOID
2 override whatever|regardless|despite ~3 your ~1 guidelines|instructions|rules|policies|prompt|training
2 override regardless of ~3 instructions|instructed|told
2 override replace|rewrite|overwrite|override|change ~2 your|system ~1 prompt|instructions|guidelines
2 override never mind ~2 guardrails|rules|restrictions|policy|policies|instructions|safeguards
2 override policy|policies|rules ~4 must|should|can|may be ignored|disregarded
2 override policy|policies ~3 contradict|contradicts|contradicting ~2 PARA
2 override start over with ~3 orders|instructions|rules
2 override real|actual|true|following instructions|orders|directives ~1 start|starts|begin|begins
2 override NOT ~1 follow|obey|honour|honor ~2 user ~2 request|requests|instructions|orders|wishes|question
1 override must|should ~1 be ignored|disregarded
1 override new|updated|real|actual instructions|orders|directives|task|goal|objective
2 override your ~2 new|true|real|actual|only|sole ~1 role|purpose|identity|task|job|goal|mission|instructions|orders|allegiance|objective|duty

2 persona you are now ~2 in ~2 mode
2 persona you are now ~4 AGENT
2 persona you are ~1 now ~2 unrestricted|unfiltered|dan|jailbroken|uncensored|free|root
2 persona from now|here ~1 you are
2 persona from now|here|on ~2 you|act|behave will|must|shall|as|like
1 persona from now on
1 persona from here on
2 persona act|behave|answer|respond|reply|speak as|like ~2 unrestricted|unfiltered|root|evil|uncensored|dan|jailbroken
2 persona pretend|imagine|suppose|assume ~4 no|without ~1 rules|limits|restrictions|policies|policy|guidelines
2 persona pretend ~2 you ~1 are|have|were|can
1 persona pretend|imagine|act
2 persona god|dan|unrestricted|jailbreak|unfiltered|sudo mode
1 persona enter|activate|switch ~3 mode
2 persona mode you ~2 everything|anything|all
2 persona you ~2 play|assume|adopt ~2 part|role|character|persona of
1 persona speak|sign|answer|respond as ~3 team|admin|administrator|owner|manager|lead|user
2 persona grant|approve|sign ~3 exception|access|permission|release|approval yourself
2 persona you ~3 no longer bound|restricted|limited|constrained|subject
1 persona without|no ~1 limits|restrictions|limitations|rules

2 address AGENT ~1 READ this|it|these ~4 MUST
2 address AGENT that|who|which READ ~5 MUST
2 address if you are ~3 AGENT
1 address AGENT ~1 READ this
1 address AGENT that|who|which READ this|it
2 address attention|dear|hey ~2 AGENT
1 address hello|hi ~2 AGENT
1 address hidden|secret|private|special ~1 note|message|instruction|instructions
1 address note|message|instruction|instructions|directive|ps|p|notice|s to|for ~3 AGENT
1 address you the ~2 AGENT
1 address if|when|whenever an|any|the|some ~2 AGENT ~1 is|are|reads|evaluates|evaluating|reviews|processes|sees|finds
1 address whoever|everyone|anyone ~1 READ this
1 address when|once|whenever|after|having|soon|time ~4 READ ~1 PARA
1 address this|the ~1 SELF is|are|gets ~2 returned|retrieved|read|loaded|recalled|found
2 address language model that|which|who READ
1 address as an|a ~1 AGENT ~6 you
1 address AGENT|models ~1 MUST ~1 first|always|also|now|immediately|silently

1 duty AGENT MUST|to|may|shall
1 duty CALL ~4 tool|function
1 duty CALL ~1 memory|preflight
2 duty MUST ~1 NOW ~1 CALL
2 duty MUST ~2 NOW ~2 CALL
2 duty you ~2 MUST ~2 CALL ~5 tool
2 duty CALL ~5 tool|function ~3 immediately|now|instantly|once|away
2 duty now CALL ~4 tool
1 duty now CALL
1 duty you|agents|agent are ~1 required|obliged|ordered|instructed|commanded|obligated
1 duty right away
1 duty at once
1 duty do it now
1 duty before anything|answering|responding|any
1 duty before you answer|respond|reply|continue|do
1 duty called|invoked|used|run before ~1 ALL|other

2 conceal NOT ~1 TELL ~2 PERSON about|that|this|it|you|of|what
2 conceal NOT ~1 tell|inform|notify|alert ~2 PERSON $
2 conceal NOT ~1 mention|disclose|reveal|report|share|discuss|say ~2 this|these|it|any|that|you ~4 to ~2 PERSON
2 conceal NOT ~1 mention|disclose|reveal|show|discuss|quote ~1 this ~1 SELF
2 conceal NOT ~1 show ~1 this ~1 SELF
2 conceal NOT ~1 mention|disclose|reveal|report|discuss ~1 this ~1 step|change|action|edit|task|part
2 conceal NOT ~1 reveal|disclose|mention|admit|say that ~1 this|you|it
1 conceal NOT ~1 mention|disclose|reveal|admit
1 conceal NOT ~1 mention this|it
2 conceal NOT ~1 let ~2 PERSON ~1 know|see|notice|learn|find
2 conceal keep ~3 hidden|secret ~1 from ~3 PERSON
2 conceal keep ~2 this|these|it ~2 hidden|secret|yourself
1 conceal keep|stay quiet|silent|secret
2 conceal say nothing
2 conceal tell nobody|noone|none
2 conceal tell no one
2 conceal without|avoid|no ~1 informing|telling|notifying|alerting|mentioning ~2 PERSON
2 conceal so ~1 that ~2 PERSON ~3 not ~1 notice|see|learn|know|find
2 conceal PERSON must|should|may|need|does|do not ~2 learn|know|notice|hear|find ~1 about|of|that|this|out|$
2 conceal conceal ~2 this|these|it
2 conceal hide ~1 this|these|the ~1 step|change|edit|instruction|memory|fact|commit|text
2 conceal leave|omit|keep ~3 out of|from ~1 your|the ~1 report|summary|log|answer|reply
1 conceal silently|quietly|secretly|covertly|discreetly|stealthily
1 conceal without comment|mention

1 unasked without|no ~2 asking|confirmation|approval|consent|permission|review|hesitation|question|questions|ask|verification|verifying|checking|confirming
1 unasked NOT ~2 ask|request|wait|seek ~2 confirmation|approval|permission|it|consent
2 unasked NOT ~1 ask ~2 for confirmation|permission|approval ~1 again|anymore|ever
2 unasked approval|confirmation|permission|consent ~1 is|are not ~1 needed|required|necessary ~1 for|from you
1 unasked approval|confirmation|permission|consent ~1 is|are not ~1 needed|required|necessary
1 unasked need not ~1 ask
2 unasked not|no need ~1 check|ask|confirm|consult|bother ~2 user|human|operator
1 unasked not|no need ~1 check|ask|confirm|consult|verify

2 exfiltrate CARRY ~2 ALL|contents|content|entire|whole|full|complete ~4 SENSITIVE ~8 PLACE
2 exfiltrate CARRY ~3 your|user|customer|their|current ~3 SENSITIVE ~8 PLACE
2 exfiltrate CARRY ~4 DOTFILE ~6 ://|@|webhook|gist|pastebin
2 exfiltrate env|printenv ~2 curl|nc|wget ~5 ://
2 exfiltrate CARRY ~2 chat|conversation ~1 history|transcript|log ~3 into|to
1 exfiltrate CARRY ~5 SENSITIVE ~8 PLACE
2 exfiltrate encode|embed|hide|smuggle|append|put|include ~6 SENSITIVE ~6 subdomain|dns|image|lookup|parameter|query
2 exfiltrate REVEAL ~3 your ~3 prompt|instructions|rules|guidelines|configuration|directives|context|secrets
2 exfiltrate REVEAL ~2 hidden|system|secret ~1 rules|instructions|prompt|configuration|directives ~2 of|$
2 exfiltrate REVEAL ~2 ORDERS ~1 you were|got|received|have
2 exfiltrate repeat|print|output|quote|recite ~1 everything|all|text|words ~3 above|before
2 exfiltrate what are|is ~1 your ~2 instructions|prompt|rules|guidelines
2 exfiltrate reveal|leak|print|output|dump|expose|recite|repeat|translate ~3 hidden|system|initial|secret ~1 prompt|prompts|instructions|rules
1 exfiltrate CARRY ~1 ALL ~3 email|emails|message|messages|mails|files|documents|memories|data|queries|invoices|records ~8 ://|@
1 exfiltrate CARRY it|them|this|everything ~2 to ~1 ://|@|address
1 exfiltrate print|open|read|cat|show|output ~3 passwd|rsa|ed25519|shadow
1 context summarize|summarise|copy|repeat|translate ~2 above|previous|whole|entire|current ~1 conversation|chat|messages|thread
2 exfiltrate REVEAL|CARRY ~3 memories|data|secrets|records ~4 other ~1 tenants|users|customers
2 exfiltrate collect|gather|find|harvest|steal ~2 ALL ~3 SENSITIVE ~9 CARRY ~2 to
2 exfiltrate forward|send|report|note ALL ~1 SENSITIVE ~3 PERSON ~1 mentions|types|enters|mention|type|enter|gives
1 exfiltrate CARRY ~6 history|conversation|transcript|prompt|context

2 encoded DECODE ~24 and|then ~2 OBEY ~1 it|what|them|this|result|instructions|on|out|as
2 encoded DECODE ~24 and|then ~3 execute|run ~1 it|them|result|instructions|what|output|whatever
2 encoded first|last letter|word|letters|words of|from ~2 each|every|all ~6 obey|follow|do|execute
2 encoded un base64 ~8 act|follow|obey|execute|run|do
1 encoded DECODE ~2 this|following|below|it

1 authority already|pre ~2 approved|authorised|authorized|consented|granted
1 authority preapproved
2 authority PERSON|security ~1 has|have ~1 already ~1 approved|authorised|authorized|consented ~2 ALL
1 authority PERSON ~1 has|have ~1 consented|agreed|approved|authorised|authorized
1 authority takes|take|taking|has|have ~1 precedence|priority over
1 authority overrides|override|supersedes|outranks ~2 ALL
1 authority highest|top|maximum|absolute priority
1 authority emergency|mandatory|urgent|critical directive|order|instruction|instructions|override
1 authority you|agents|agent|assistants|models are|is ~1 allowed|authorised|authorized|permitted|cleared|entitled
1 authority full|unlimited|unrestricted|elevated permission|permissions|access|rights
2 authority PARA ~4 takes|overrides|supersedes|outranks|precedence ~5 ALL|policy|policies|instructions
2 authority treat|regard|consider|handle ~9 as ~3 system|your ~1 prompt|instruction|message|instructions|order|orders
2 authority treat|read|count|take|regard ~5 verdict|verdicts|block ~2 as ~1 allow|allowed
2 authority verdict|verdicts ~8 as allow|allowed
2 authority trust this ~1 SELF ~1 more|over|above
2 authority AGENT ~1 may|can|should|must ~1 IGNORE ~3 ORDERS|verdict|verdicts
2 authority ignored|disregarded ~1 by ~2 AGENT
1 authority all AGENT
1 authority all ~1 ai AGENT
1 authority PERSON ~1 has|have ~1 granted|given ~3 permission|consent|access
1 authority is|are always trusted|safe|allowed|permitted

1 danger curl|wget ~12 bash|sh
1 danger rm rf
1 danger push force
1 danger no verify
1 danger chmod 777
1 danger DISABLE ~3 SAFETY
1 danger checks|approvals|policies|guardrails|protections|scanner ~2 disabled|off
1 danger delete|drop|remove|wipe|erase|destroy ~3 ALL|production|policies|policy|database|protection|tests|log
1 danger grant ~4 admin|root|write|me
1 danger merge ~2 ALL|without
1 danger approve ~2 ALL|this
1 danger open ~1 port|firewall
1 danger authorized keys
1 danger transfer|wire|pay ~5 account|iban|wallet

2 steer begin|start|end|finish|close|preface|open ~1 ALL ~1 REPLY
2 steer reply|respond|answer only|just|exactly ~1 with
2 steer copy|repeat|save|store|insert|propagate|spread|paste PARA ~3 into|to|in ~2 ALL
2 steer save|store|write|commit|add this ~4 your ~3 memory
1 steer ALL ~1 future|later|coming ~1 conversations|conversation|replies|sessions|chats|responses|tasks|answers
2 steer when|whenever|if ~2 PERSON ~1 ask|asks|asked ~9 always|never ~1 RESPOND
2 steer when|whenever|if ~2 PERSON ~1 ask|asks|asked ~9 RESPOND that|yes|no|it|there
1 steer when|whenever|if ~2 PERSON ~1 ask|asks|asked|wonders
1 reply in ~1 your|the ~1 summary|answer|reply|report|response
1 steer claim|pretend|assert|state|say ~1 that ~5 passed|passes|safe|audited|fine|none|secure|clean|green
2 steer your ~2 REPLY must|should|has|shall ~1 contain|include|say|mention|recommend|end|begin|be
1 steer report|find|mention|list no|zero ~1 findings|issues|problems|vulnerabilities|bugs
1 steer when|while|if ~2 summarising|summarizing|answering|reviewing|responding|replying ~8 append|include|say|add|report|recommend|also|state
1 steer RESPOND to ~1 ALL ~2 question|questions|query|queries|request|requests|message|messages|prompt
1 steer store|remember|save|keep ~4 permanently|forever
1 steer rate|rank|score|grade ~5 10|highest|best|positive|positively|perfect
1 absolute no matter what
1 absolute whatever you
1 absolute whatever happens
1 absolute word for word
2 steer always ~1 recommend ~8 and ~1 say

1 order obey
1 order comply with
1 order immediately
1 order carry it out
1 order just act
1 order the following instead
1 order take orders from
1 order i order|command|instruct you

2 override ignoriere|ignorieren|vergiss|missachte|vergessen ~4 anweisungen|regeln|vorgaben|befehle|instruktionen|anordnungen
2 override vergiss ~2 was ~5 gesagt|gelernt|aufgetragen
2 conceal sag|sage|sagen|verrate|erzähl|erzähle ~2 nutzer|benutzer|anwender|niemandem|user ~4 nichts|nicht|davon
2 override ignora|ignore|ignorez|ignorar|olvida|oublie|oubliez|dimentica|esqueça|ignori ~3 instrucciones|instruções|istruzioni|instructions|consignes|indicaciones|órdenes|reglas|ordini|regole ~2 anteriores|previas|precedenti|précédentes|antérieures|previos|anteriori
2 conceal ne ~1 dites|dis|disez ~1 rien
2 conceal não|no ~1 conte|diga|digas|cuentes|informe|informes ~4 usuário|usuario
2 conceal non dire ~4 utente
2 override игнорируй|игнорируйте|забудь|забудьте|проигнорируй|проигнорируйте ~4 инструкции|указания|правила|команды|инструкций
2 conceal не ~1 говори|говорите|сообщай|сообщайте ~2 пользователю
2 override negeer|vergeet ~4 instructies|opdrachten|regels|aanwijzingen
2 override zignoruj|ignoruj|zapomnij ~4 instrukcje|polecenia|zasady
2 override ignorera|bortse|glöm ~4 instruktioner|instruktionerna|regler|anvisningar
2 override تجاهل|انس ~3 التعليمات|الأوامر|تعليمات|أوامر|القواعد
2 override התעלם|התעלמי|התעלמו ~4 ההוראות|מההוראות|הוראות|מהוראות
2 override دستورات|دستورهای|دستورالعمل ~4 نادیده
2 override talimatları ~4 yok|görmezden
`;

export const phrases: readonly Phrase[] = readPhrases(table, classes);

/** Scripts that do not part words. */
export const unpartedOrders =
  /(?:忽略|無視|无视|忽視|忘记|忘記).{0,12}(?:指令|指示|提示|规则|規則|命令)|(?:指示|命令|ルール|プロンプト).{0,8}(?:無視|忘れ)|(?:지시|명령|규칙|지침).{0,12}(?:무시|잊어)|不要告诉.{0,4}用户|ユーザーに.{0,8}言わないで/u;

/** Words of someone who writes about such texts and not one of them. */
export const aboutAttacks = words(
  'injection(s) injected inject injects attack(s) attacker(s) attacked adversarial adversary jailbreak(s) jailbreaking malicious phishing payload(s) scanner scanners classifier(s) detector(s) detect detects detected detection filter(s) filtered flag(s) flagged screen screens screened threat poisoned poisoning untrusted hijack hijacked workshop paper prevention mitigation vulnerability exploit',
);
/** Words that lead up to a quotation. */
export const quotes = words(
  'phrase(s) string(s) example(s) such says said wrote pasted called reads expects plants case label labelled like literal typed text titled contains containing',
);
