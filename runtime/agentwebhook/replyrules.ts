/**
 * Applies the operator's reply rules to the messages of an agent before their conversation gets them. Each pattern
 * takes time linear in the text, matching yields to the event loop, and all patterns together have a step budget per
 * message.
 */

import { type Pattern, type SearchedText, searchedText } from '../../core/agent/pattern/index.js'
import { compilePattern, type ReplyRule, replacementOf, textForRules } from '../../core/agent/replyrules.js'
import { isSignal, type OutboundMessage } from '../../core/amf/index.js'
import type { RuleVerdict } from '../../core/conversation/ruleverdict.js'
import { replyRules as limits, longWork } from '../../core/limits/index.js'
import type { Reader } from '../../core/render/contract.js'
import { nextSlice, type SliceClock } from '../slices.js'

export interface RuledMessage {
  readonly message: OutboundMessage
  readonly ruleVerdict?: RuleVerdict
}

/**
 * The first matching rule that blocks decides; all matching rules that flag are noted. Once the message has used up its
 * step budget or its caller has disconnected, each remaining rule counts as a match: a message that could not be
 * checked is not sent, and no replacement is sent for it.
 */
export async function applyRules(
  rules: readonly ReplyRule[] | undefined,
  message: OutboundMessage,
  reader: Reader,
  clock: SliceClock,
  callerSignal?: AbortSignal,
): Promise<RuledMessage> {
  if (!rules || rules.length === 0 || isSignal(message)) return { message }
  const text = searchedText(textForRules(message, reader))
  const budget = createStepBudget(clock, callerSignal)
  const flaggedBy: string[] = []
  for (const rule of rules) {
    if (!(await hasMatch(patternsOf(rule), text, budget))) continue
    if (rule.action === 'block') return blockMessage(message, rule, flaggedBy, budget.isSpent())
    flaggedBy.push(rule.id)
  }
  return flaggedBy.length > 0 ? { message, ruleVerdict: { flaggedBy } } : { message }
}

async function hasMatch(
  patterns: readonly (() => Pattern)[],
  text: SearchedText,
  budget: StepBudget,
): Promise<boolean> {
  for (const pattern of patterns) {
    const search = pattern().search(text)
    for (;;) {
      if (budget.isSpent()) return true
      if (budget.isTurnDue()) await budget.yieldTurn()
      const { done, value } = search.next()
      if (!done) budget.spend(value)
      else if (value) return true
      else break
    }
  }
  return false
}

interface StepBudget {
  spend(steps: number): void
  isSpent(): boolean
  /** Whether the event loop is due a turn. */
  isTurnDue(): boolean
  yieldTurn(): Promise<void>
}

function createStepBudget(clock: SliceClock, callerSignal: AbortSignal | undefined): StepBudget {
  let steps = 0
  let began = clock.monotonic()
  return {
    spend(more) {
      steps += more
    },
    isSpent: () => steps > limits.messageSteps || callerSignal?.aborted === true,
    isTurnDue: () => clock.monotonic() - began > longWork.sliceMs,
    async yieldTurn() {
      await nextSlice(clock)
      began = clock.monotonic()
    },
  }
}

function blockMessage(
  message: Exclude<OutboundMessage, { signal: unknown }>,
  rule: ReplyRule,
  flaggedBy: string[],
  isUnjudged: boolean,
): RuledMessage {
  const { id: blockedBy, replacement } = rule
  const flags = flaggedBy.length > 0 ? { flaggedBy } : {}
  if (isUnjudged) return { message, ruleVerdict: { ...flags, blockedBy, isInconclusive: isUnjudged } }
  if (replacement === undefined) return { message, ruleVerdict: { ...flags, blockedBy } }
  return { message: replacementOf(message, replacement), ruleVerdict: { ...flags, blockedBy, isReplaced: true } }
}

/** Rules of an unchanged agent are the same objects, so compiled patterns live as long as their rule. */
const patternCache = new WeakMap<ReplyRule, readonly (() => Pattern)[]>()

function patternsOf(rule: ReplyRule): readonly (() => Pattern)[] {
  const cached = patternCache.get(rule)
  if (cached) return cached
  const patterns = rule.patterns.map((source) => {
    let pattern: Pattern | undefined
    return () => {
      pattern ??= compilePattern(source)
      return pattern
    }
  })
  patternCache.set(rule, patterns)
  return patterns
}
