/** Matches a typed answer to the options of a question. */
import type { IntentType } from '../../amf/index.js'
import { matchReply, type Option } from '../../conversation/match.js'
import { readRank } from './words.js'

export interface Choice {
  readonly id: string
  readonly label: string
  /** Shorter forms that a channel may have shown. */
  readonly names?: readonly string[]
}

/** By id, label, number or rank; undefined unless the text clearly means one. */
export function matchChoice<C extends Choice>(
  text: string,
  choices: readonly C[],
  intent: IntentType = 'ask.choice',
): C | undefined {
  const options = choices.map(
    ({ id, label, names = [] }, index): Option => ({
      messageId: '',
      tapIndex: index,
      tap: { intent, intentId: '', optionId: id, label, kind: 'reply' },
      names: [label, ...names],
      number: index + 1,
    }),
  )
  const matched = matchReply(text, [options])
  if (matched) return choices[matched.tapIndex]
  const rank = readRank(text, choices.length)
  return rank === undefined ? undefined : choices[rank]
}
