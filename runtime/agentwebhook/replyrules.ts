/**
 * Holds the messages of an agent to its operator's rules before their conversation is asked to take them. Each pattern takes
 * time linear in the text, other work of the process has its turn while they are looked for, and all of them together have
 * so many steps for one message.
 */

import { type Pattern, type SearchedText, searchedText } from '../../core/agent/pattern/index.js'
import { compilePattern, type ReplyRule, replacementOf, ruledText } from '../../core/agent/replyrules.js'
import { isSignal, type OutboundMessage } from '../../core/amf/index.js'
import type { RuleVerdict } from '../../core/conversation/ruleverdict.js'
import { replyRules as limits, longWork } from '../../core/limits.js'
import type { Reader } from '../../core/render/contract.js'
import { nextTurn, type TurnClock } from '../turns.js'

export interface Ruled {
  readonly message: OutboundMessage
  readonly ruled?: RuleVerdict
}

/**
 * The first rule that blocks decides; rules that flag are all noted. Once the message has used up its steps, each rule that
 * is left counts as found: what could not be judged is not let out, and nobody is sent a replacement for it. The same
 * goes once its caller has gone.
 */
export async function applyRules(
  rules: readonly ReplyRule[] | undefined,
  message: OutboundMessage,
  reader: Reader,
  clock: TurnClock,
  gone?: AbortSignal,
): Promise<Ruled> {
  if (!rules || rules.length === 0 || isSignal(message)) return { message }
  const text = searchedText(ruledText(message, reader))
  const pace = newPace(clock, gone)
  const flaggedBy: string[] = []
  for (const rule of rules) {
    if (!(await isFound(patternsOf(rule), text, pace))) continue
    if (rule.action === 'block') return blocked(message, rule, flaggedBy, pace.isSpent())
    flaggedBy.push(rule.id)
  }
  return flaggedBy.length > 0 ? { message, ruled: { flaggedBy } } : { message }
}

async function isFound(patterns: readonly (() => Pattern)[], text: SearchedText, pace: Pace): Promise<boolean> {
  for (const pattern of patterns) {
    const search = pattern().search(text)
    for (;;) {
      if (pace.isSpent()) return true
      if (pace.isDue()) await pace.turn()
      const { done, value } = search.next()
      if (!done) pace.took(value)
      else if (value) return true
      else break
    }
  }
  return false
}

interface Pace {
  took(steps: number): void
  isSpent(): boolean
  /** Others are to have their turn before this goes on. */
  isDue(): boolean
  turn(): Promise<void>
}

function newPace(clock: TurnClock, gone: AbortSignal | undefined): Pace {
  let steps = 0
  let began = clock.elapsed()
  return {
    took(more) {
      steps += more
    },
    isSpent: () => steps > limits.messageSteps || gone?.aborted === true,
    isDue: () => clock.elapsed() - began > longWork.sliceMs,
    async turn() {
      await nextTurn(clock)
      began = clock.elapsed()
    },
  }
}

function blocked(
  message: Exclude<OutboundMessage, { signal: unknown }>,
  rule: ReplyRule,
  flaggedBy: string[],
  isUnjudged: boolean,
): Ruled {
  const { id: blockedBy, replacement } = rule
  const flags = flaggedBy.length > 0 ? { flaggedBy } : {}
  if (isUnjudged) return { message, ruled: { ...flags, blockedBy, isUnjudged } }
  if (replacement === undefined) return { message, ruled: { ...flags, blockedBy } }
  return { message: replacementOf(message, replacement), ruled: { ...flags, blockedBy, isReplaced: true } }
}

/** Rules of an agent that was not changed are the same objects, so what was compiled for one is kept as long as it. */
const compiled = new WeakMap<ReplyRule, readonly (() => Pattern)[]>()

function patternsOf(rule: ReplyRule): readonly (() => Pattern)[] {
  const known = compiled.get(rule)
  if (known) return known
  const patterns = rule.patterns.map((written) => {
    let read: Pattern | undefined
    return () => {
      read ??= compilePattern(written)
      return read
    }
  })
  compiled.set(rule, patterns)
  return patterns
}
