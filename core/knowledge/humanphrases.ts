/**
 * Whether a person asks for a human, by English phrases. A clause becomes one letter for each word, nouns with their
 * articles become one sign, and short patterns are searched in that, so the time is linear in the text.
 */
import { plainWords } from './phrasing.js'
import { foldText } from './tokenizer.js'

/** Words by their letter; every other word is an x. */
const wordsByLetter: Readonly<Record<string, string>> = {
  /** Talking: to or with a human. */
  T: 'talk speak chat',
  O: 'connect',
  /** Handing over: me to a human. */
  V: 'transfer switch hand pass forward redirect put route send',
  v: 'transferred connected',
  e: 'escalate',
  R: 'reach',
  J: 'contact',
  G: 'get',
  W: 'want wanna need prefer give require request',
  h: 'have',
  Q: 'can could would will may might should cant couldnt wont let ask',
  C: 'call',
  c: 'phone ring',
  K: 'callback',
  N: 'dont not never without didnt doesnt neednt stop',
  Z: 'no',
  H: 'human humans',
  p: 'someone somebody anyone anybody',
  P:
    'person agent agents representative representatives rep reps operator operators employee employees manager ' +
    'managers supervisor receptionist',
  L: 'people team staff',
  S: 'customerservice livechat',
  s: 'support sales',
  A: 'real live actual physical',
  B: 'bot bots robot robots chatbot machine computer ai',
  D: 'a an the any some your another',
  t: 'to with w through',
  M: 'me us',
  I: 'i we',
  Y: 'you',
  E: 'there',
  U: 'help assistance',
  n: 'at on in for from after before when if as later tomorrow tonight this next',
}
const letterOf: ReadonlyMap<string, string> = new Map(
  Object.entries(wordsByLetter).flatMap(([letter, words]) => words.split(' ').map((word) => [word, letter] as const)),
)
const digits = /^[0-9]+$/

/** Words that change nothing about a request. */
const fillers: ReadonlySet<string> = new Set(
  (
    'please pls plz kindly now just really actually instead right immediately directly asap today here back over again ' +
    'available online thanks thank hello hi hey ok okay well'
  ).split(' '),
)

/** Several words that stand for one, or for none. */
const phrases: readonly (readonly [phrase: RegExp, word: string])[] = [
  [/\b(?:would|i ?d|we ?d) (?:rather|like|love|prefer)\b/g, 'want'],
  [/\bcustomer (?:service|support|care)\b/g, 'customerservice'],
  [/\blive (?:chat|support)\b/g, 'livechat'],
  [/\bhuman being\b/g, 'human'],
  [/\bhuman resources?\b/g, 'hr'],
  [/\b(?:member of (?:staff|the team|your team)|(?:staff|team) member)\b/g, 'employee'],
  [/\bfrom (?:the|your) (?:team|staff|office|company)\b|\bon the (?:phone|line)\b|\bin touch\b|\bone of\b/g, ''],
  [/\bcall back\b/g, 'callback'],
]

/** Between two clauses. */
const clauseEnd =
  /[^\p{L}\p{N}\p{M}\s'\u2018\u2019\u02bc/-]+|\n|\b(?:and|but|or|so|about|regarding|because|instead of|rather than)\b/u

/** 1: a human. S and s: a service. 2: a person in a role. 3: a group of people. */
const nouns: readonly (readonly [noun: RegExp, sign: string])[] = [
  [/D?A{0,2}H[UsS]?[PL]?/g, '1'],
  [/D?A{0,2}([Ss])[PL]?/g, '$1'],
  [/DA{0,2}P|A{1,2}P/g, '2'],
  [/DA{0,2}L|A{1,2}L/g, '3'],
]

const requests: readonly RegExp[] = [
  // Talk to a human, get through to someone, put me through to sales, switch to an agent, contact a person.
  /(?:[TOVv]tt?|Gtt|[VOG]Mtt?)[123pPSs]/g,
  /[RJ][123pSs]|e/g,
  // I want a human, get me an agent, I need someone to talk to, can I have a manager, is there a real person.
  /[WG]M?(?:1(?!x)|S|[23p](?=$|tT|IQ?T|t[UCcJ]M$))/g,
  /QIh[12](?=$|I)|E1|E2E?$/g,
  /[123p](?:t|IQ?|QI)Tt?$/g,
  // Can someone talk to me, can a real person help me.
  /Q[123p][TO]tM|Q[12]U?M/g,
  // An agent, and nothing else.
  /^[12PS]+$/g,
  // I do not want to talk to a bot.
  /^[NZ]D?B$|[NZ](?:[WG]t?)?(?:Tt)D?B|[NZ][WG]D?B/g,
  // Call me at five, can someone call me, I want you to call me, give me a call, a callback.
  /^[123p]?[CcJ]M(?=$|[nt])/g,
  /[QWGh](?:Y|[123ps])t?[CcJ]M(?=$|[nt])/g,
  /[WG](?:M?DC|MC|M?D?K)(?=$|[nt])|^D?K(?=$|[nt])/g,
]

/** Before a request: it is not wanted. */
const negation = /N[WGQtIYM]{0,3}$|ZWt?$/
/** The letters that `negation` looks at. */
const negationLetters = 4

export function asksForHuman(text: string): boolean {
  return foldText(text).split(clauseEnd).some(isRequest)
}

function isRequest(clause: string): boolean {
  const letters = lettersOf(clause)
  return requests.some((pattern) =>
    [...letters.matchAll(pattern)].some(
      ({ index }) => !negation.test(letters.slice(Math.max(0, index - negationLetters), index)),
    ),
  )
}

function lettersOf(clause: string): string {
  const spelled = phrases.reduce((all, [phrase, word]) => all.replace(phrase, word), plainWords(clause).join(' '))
  const letters = spelled
    .split(' ')
    .filter((word) => word !== '' && !fillers.has(word))
    .map((word) => letterOf.get(word) ?? (digits.test(word) ? 'n' : 'x'))
    .join('')
  return nouns.reduce((all, [noun, sign]) => all.replace(noun, sign), letters)
}
