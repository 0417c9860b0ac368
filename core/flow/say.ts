/** Steps that speak: a text with values, or a message template, with suggestions as chips. */

import { type AnyStep, stepTemplateId, stepText, suggestionsOf } from '../agent/flows/steps.js'
import { findItem } from '../agent/index.js'
import { turn } from '../limits/index.js'
import type { FlowNext, FlowSay } from './contract.js'
import { fillAml, fillPlain } from './texts.js'
import { advance, leaveStuck, readerOf, topOf, type Walk, warn } from './walk.js'

/** A text of which missing values leave nothing is not said. What no turn can hold, the flow cannot mean to say. */
export function runSay(walk: Walk, step: AnyStep): FlowNext | undefined {
  const { playbookId, step: index } = topOf(walk)
  const say = sayOf(walk, step)
  advance(walk)
  if (!say) return undefined
  const key = `${playbookId}:${index}:${'aml' in say ? say.aml : say.kind}`
  walk.said.push(key)
  const repeats = walk.repeats?.said.get(key) ?? 0
  if (repeats > 0) walk.repeats?.said.set(key, repeats - 1)
  else walk.say.push(say)
  walk.saidChars += 'aml' in say ? say.aml.length : 0
  return walk.saidChars > turn.planBytes ? leaveStuck(walk, 'The flow says more than a turn can hold.') : undefined
}

function sayOf(walk: Walk, step: AnyStep): FlowSay | undefined {
  const read = readerOf(walk)
  const labels = suggestionsOf(step)
    .map((label) => fillPlain(label, read))
    .filter((label) => label !== '')
  const chips = labels.length > 0 ? { chips: labels } : {}
  const templateId = stepTemplateId(step)
  if (templateId === undefined) {
    const aml = fillAml(stepText(step) ?? '', read)
    return aml.trim() === '' ? undefined : { kind: 'text', aml, ...chips }
  }
  if (findItem(walk.environment.document, 'messageTemplates', templateId)) {
    return { kind: 'template', templateId, ...chips }
  }
  warn(walk, 'flow.missing', `There is no message template ${templateId}.`)
  return undefined
}
