/** The values that texts and conditions of a flow read: slots, person, agent, results of actions, and `error`. */

import { dottedName } from '../agent/flows/steps.js'
import { customFieldIn } from '../agent/templates/slots.js'
import { isRecord } from '../json.js'
import { isDone } from '../tools/contract.js'
import type { FlowFrame, FlowSubject } from './contract.js'

export type NameReader = (name: string) => unknown

/** Undefined for a name without a value. A slot precedes everything else of its name. */
export function createNameReader(frame: FlowFrame, subject: FlowSubject): NameReader {
  const agent = { ...subject.document.identity, ...subject.agent }
  return (name) => {
    if (Object.hasOwn(frame.slots, name)) return frame.slots[name]
    const [root = '', ...path] = name.split('.')
    switch (root) {
      case 'slots':
        return memberAt(frame.slots, path)
      case 'person':
        return personValue(subject, name, path)
      case 'agent':
        return memberAt(agent, path)
      case 'last':
        return resultAt(frame, path.join('.'))
      case 'error':
        return path.length === 0 ? frame.error : undefined
      default:
        return undefined
    }
  }
}

/** A value of the person by its path in a slot or text, such as `person.customFields.plan`. */
export function personValue({ person }: Pick<FlowSubject, 'person'>, name: string, path: readonly string[]): unknown {
  const customField = customFieldIn(name)
  return customField === undefined ? memberAt(person, path) : memberAt(person?.customFields, [customField])
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  let at = value
  for (const name of path) {
    if (Array.isArray(at)) at = /^\d{1,4}$/.test(name) ? at[Number(name)] : undefined
    else at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }
  return at
}

/** The newest result of the action that the path begins with. */
function resultAt({ results = [] }: FlowFrame, path: string): unknown {
  const result = results.findLast(({ name }) => path === dottedName(name) || path.startsWith(`${dottedName(name)}.`))
  if (!result || !isDone(result.outcome)) return undefined
  const rest = path.slice(dottedName(result.name).length + 1)
  return rest === '' ? result.outcome.result : memberAt(result.outcome.result, rest.split('.'))
}
