/** What every reply passes before it leaves: required disclaimers, phrases to avoid, and grounding. */
import type { AgentDocument } from '../agent/index.js'
import type { ContentMessage } from '../amf/index.js'
import { amf } from '../limits/index.js'
import type { Reader } from '../render/contract.js'
import { escapeMarkdown } from '../render/escape.js'
import { readableTexts } from '../render/losscheck.js'
import { groundMessage, type HardValues } from './grounding.js'
import type { TurnWarning } from './record.js'
import { sayableText } from './sayable.js'

export interface GuardInput {
  readonly messages: readonly ContentMessage[]
  readonly document: Pick<AgentDocument, 'guardrails'>
  /** Whether the session has had its disclaimers. */
  readonly hasDisclaimers: boolean
  /** What the reply is made of. */
  readonly sources: readonly HardValues[]
  readonly reader: Reader
}

export interface Guarded {
  readonly messages: readonly ContentMessage[]
  readonly hasDisclaimers: boolean
  readonly warnings: readonly TurnWarning[]
}

export function guardReply({ messages, document, hasDisclaimers, sources, reader }: GuardInput): Guarded {
  const warnings: TurnWarning[] = []
  const grounded = messages.flatMap((each) => {
    const { message, removed } = groundMessage(each, sources)
    for (const value of removed)
      warnings.push({ code: 'ground.removed', message: `${value} is not known to the agent.` })
    return message.parts.length > 0 ? [message] : []
  })
  const disclaimers = (document.guardrails?.requiredDisclaimers ?? []).map(sayableText).filter(Boolean)
  const isDue = !hasDisclaimers && disclaimers.length > 0 && grounded.length > 0
  const complete = isDue ? withDisclaimers(grounded, disclaimers) : grounded
  if (isDue) warnings.push({ code: 'disclaimer.added', message: 'The disclaimers were said with the first reply.' })
  for (const phrase of phrasesIn(complete, document, reader)) {
    warnings.push({ code: 'rule.flagged', message: `The reply has the phrase "${phrase}" of the guardrails.` })
  }
  return { messages: complete, hasDisclaimers: hasDisclaimers || isDue, warnings }
}

/** Verbatim, at the end of the first message, or behind it when it is full. */
function withDisclaimers([first, ...rest]: readonly ContentMessage[], disclaimers: readonly string[]) {
  const part = { type: 'text' as const, text: disclaimers.map((each) => escapeMarkdown(each)).join('\n') }
  if (first!.parts.length === amf.parts) return [first!, { spec: 'amf/1' as const, parts: [part] }, ...rest]
  return [{ ...first!, parts: [...first!.parts, part] }, ...rest]
}

function phrasesIn(
  messages: readonly ContentMessage[],
  { guardrails = {} }: Pick<AgentDocument, 'guardrails'>,
  reader: Reader,
): readonly string[] {
  const phrases = [...(guardrails.topicsToAvoid ?? []), ...(guardrails.claimsNotToMake ?? [])]
  if (phrases.length === 0) return []
  const text = messages
    .flatMap((each) => readableTexts(each, reader))
    .join('\n')
    .toLowerCase()
  return phrases.filter((phrase) => text.includes(phrase.toLowerCase()))
}
