/**
 * Holds the messages of an agent to its operator's rules before their conversation is asked to take them. Each pattern takes
 * time linear in the text, and other work of the process has its turn between two of them.
 */

import type { Pattern } from '../../core/agent/pattern/index.js'
import {
  compilePattern,
  type ReplyRule,
  type RuleVerdict,
  replacementOf,
  ruledText,
} from '../../core/agent/replyrules.js'
import { isSignal, type OutboundMessage } from '../../core/amf/index.js'
import { replyRules as limits } from '../../core/limits.js'
import type { Reader } from '../../core/render/contract.js'
import type { Clock } from '../clock.js'

export interface Ruled {
  readonly message: OutboundMessage
  readonly ruled?: RuleVerdict
}

/** The first rule that blocks decides; rules that flag are all noted. */
export async function applyRules(
  rules: readonly ReplyRule[] | undefined,
  message: OutboundMessage,
  reader: Reader,
  clock: Pick<Clock, 'elapsed' | 'soon'>,
): Promise<Ruled> {
  if (!rules || rules.length === 0 || isSignal(message)) return { message }
  const text = ruledText(message, reader)
  const flaggedBy: string[] = []
  let began = clock.elapsed()
  for (const rule of rules) {
    for (const pattern of patternsOf(rule)) {
      if (clock.elapsed() - began > limits.sliceMs) {
        await new Promise<void>((resolve) => clock.soon(resolve))
        began = clock.elapsed()
      }
      if (!pattern().matches(text)) continue
      if (rule.action === 'block') return blocked(message, rule, flaggedBy)
      flaggedBy.push(rule.id)
      break
    }
  }
  return flaggedBy.length > 0 ? { message, ruled: { flaggedBy } } : { message }
}

function blocked(message: Exclude<OutboundMessage, { signal: unknown }>, rule: ReplyRule, flaggedBy: string[]): Ruled {
  const { id: blockedBy, replacement } = rule
  const flags = flaggedBy.length > 0 ? { flaggedBy } : {}
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
