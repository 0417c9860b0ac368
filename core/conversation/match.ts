/**
 * Matches a typed reply to an option, in the order of confidence: an exact label or id, a shown number, YES or NO; then
 * a label that the reply contains, or words that only one label has. If evidence of one rank points to two options,
 * none is chosen and the reply is a message.
 */
import type { Tap } from '../amf/index.js'
import { conversation as limits } from '../limits/index.js'
import { fold, isWord, parseOrdinal, tokensOf } from './spelling.js'

/** An option that a person can choose, as they saw it. */
export interface Option {
  readonly messageId: string
  /** Its index in `tapsOf` of that message. */
  readonly tapIndex: number
  readonly tap: Tap
  /** Its label, and shorter forms that a channel may have shown instead. */
  readonly names: readonly [string, ...string[]]
  /** The number that was shown with it. */
  readonly number?: number
}

/**
 * The one option that the reply means. Options of one turn are equals. An older turn counts only if no newer one could
 * be meant; an approximate match in a newer turn does not beat an exact one in an older turn.
 */
export function matchReply<O extends Option>(text: string, turns: Iterable<readonly O[]>): O | undefined {
  const reply: Reply = { text, folded: fold(text), tokens: tokensOf(text) }
  if (reply.folded === '') return undefined
  let likely: O | undefined
  for (const options of turns) {
    const exact = exactMatches(reply, options)
    if (exact.length > 0) return likely ? undefined : single(exact)
    if (likely) continue
    const approximate = approximateMatches(reply, options)
    if (approximate.length > 1) return undefined
    likely = approximate[0]
  }
  return likely
}

interface Reply {
  readonly text: string
  readonly folded: string
  readonly tokens: readonly string[]
}

function single<O>(matches: readonly O[]): O | undefined {
  return matches.length === 1 ? matches[0] : undefined
}

/**
 * Label and id, number, YES and NO are one rank. The exact label decides between labels that differ only in a symbol.
 */
function exactMatches<O extends Option>(reply: Reply, options: readonly O[]): readonly O[] {
  const { text, folded, tokens } = reply
  const same = options.filter(({ names, tap }) => [...names, tap.optionId].some((each) => fold(each) === folded))
  const spelled = tokens.join(' ')
  const isSpelledAlike = (each: string) => tokensOf(each).join(' ') === spelled
  const alike =
    same.length > 0 || spelled === ''
      ? same
      : options.filter(({ names, tap }) => [...names, tap.optionId].some(isSpelledAlike))
  const ordinal = parseOrdinal(text)
  const numbered = ordinal === undefined ? [] : matchOrdinal(ordinal, options)
  return [...new Set([...alike, ...numbered, ...matchYesNo(spelled, options)])]
}

/**
 * What a bare number could mean: the option that was shown with it and, if its label lacks that number, the options
 * whose label has it as a word. "2" for "2 people" and "4 people" could be either.
 */
function matchOrdinal<O extends Option>(ordinal: number, options: readonly O[]): readonly O[] {
  const numbered = options.filter(({ number }) => number === ordinal)
  const isNamedByOrdinal = (option: O) => wordsOf(tokensOf(option.names[0]), option).has(String(ordinal))
  if (numbered.length === 0 || numbered.some(isNamedByOrdinal)) return numbered
  return [...numbered, ...options.filter(isNamedByOrdinal)]
}

/** What YES or NO could mean: the option of a confirmation, or the only option of a question. */
function matchYesNo<O extends Option>(spelled: string, options: readonly O[]): readonly O[] {
  if (spelled !== 'yes' && spelled !== 'no') return []
  return options.filter((option) => {
    const { intent, optionId } = option.tap
    return intent === 'confirm' ? optionId === spelled : spelled === 'yes' && isOnlyOption(option, options)
  })
}

function isOnlyOption({ messageId, tap }: Option, options: readonly Option[]): boolean {
  const isSameQuestion = (each: Option) => each.messageId === messageId && each.tap.intentId === tap.intentId
  return tap.intent !== 'chips' && options.filter(isSameQuestion).length === 1
}

interface Labelled<O> {
  readonly option: O
  readonly tokens: readonly string[]
  /** Words by which a reply may name it. */
  readonly words: ReadonlySet<string>
}

/** Both kinds of approximate match are one rank. A very long reply is no answer. */
function approximateMatches<O extends Option>({ text, tokens }: Reply, options: readonly O[]): readonly O[] {
  if (tokens.length === 0 || text.length > limits.answerChars) return []
  const labelled = options.map((option): Labelled<O> => {
    const own = tokensOf(option.names[0])
    return { option, tokens: own, words: wordsOf(own, option) }
  })
  // A question is not an answer yet.
  const contained = text.normalize('NFKC').includes('?') ? [] : byContainedLabel(tokens, labelled)
  return [...new Set([...contained, ...byWords(tokens, labelled)])]
}

const timeToken = /^(\d{1,2}:\d{2})([ap]m)?$/
const bareNumber = /^\d{1,2}$/

/**
 * A time is named by its hour and minute and by the name of its day, never by the number of its day: "3 pm" is not June
 * 3.
 */
function wordsOf(tokens: readonly string[], { tap }: Option): ReadonlySet<string> {
  const isTime = tap.intent === 'ask.time' || tokens.some((token) => timeToken.test(token))
  if (!isTime) return new Set(tokens)
  const named = tokens.filter((token) => !bareNumber.test(token))
  const timeParts = named.flatMap((token) => timeToken.exec(token)?.slice(1).filter(Boolean) ?? [])
  return new Set([...named, ...timeParts])
}

/** Words that take a label back, or make it conditional. */
const negations = /(^| )(not|no|never|none|neither|without|don't|dont|doesn't|won't|can't|cannot|if|but|unless)( |$)/

/**
 * Labels that the reply contains as whole words, apart from emoji beside them. Longer labels are searched first, and
 * the words of a found label are used up. A word of the reply that only another label has counts for that label too.
 */
function byContainedLabel<O>(reply: readonly string[], labelled: readonly Labelled<O>[]): readonly O[] {
  if (negations.test(reply.join(' '))) return []
  const cores = new Map(labelled.map((each) => [each, labelCore(each.tokens)]))
  const sorted = [...new Set(cores.values())].filter(Boolean).sort((a, b) => b.length - a.length)
  const contained = new Set<string>()
  let rest = ` ${reply.filter(isWord).join(' ')} ${separator} ${reply.filter((token) => !isWord(token)).join(' ')} `
  for (const core of sorted) {
    if (!rest.includes(` ${core} `)) continue
    contained.add(core)
    rest = rest.replaceAll(` ${core} `, ` ${separator} `)
  }
  return labelled
    .filter((each) => contained.has(cores.get(each)!))
    .flatMap((each) => [each, ...competingOptions(reply, each, labelled)])
    .map(({ option }) => option)
}

/** Separates what a label cannot span. It is white space, so no label has it as a token. */
const separator = '\n'

function labelCore(tokens: readonly string[]): string {
  const words = tokens.filter(isWord)
  return (words.length > 0 ? words : tokens).join(' ')
}

function competingOptions<O>(reply: readonly string[], { tokens }: Labelled<O>, labelled: readonly Labelled<O>[]) {
  const unmatchedTokens = reply.filter((token) => !tokens.includes(token))
  return labelled.filter((other) => unmatchedTokens.some((token) => other.tokens.includes(token)))
}

/** Options whose label contains every word of the reply. */
function byWords<O>(reply: readonly string[], labelled: readonly Labelled<O>[]): readonly O[] {
  return labelled.filter(({ words }) => reply.every((token) => words.has(token))).map(({ option }) => option)
}
