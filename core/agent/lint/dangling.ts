/** References whose target is not there, read off the one table of references. */
import type { Pace, Steps } from '../../steps.js'
import { nouns } from '../integrity.js'
import { eachNamed, eachNamedInSteps, holders, type Tell } from '../references.js'
import type { LintCode } from './codes.js'
import { type Desk, lookUp, note } from './findings.js'

export function* lintDanglingInSteps(desk: Desk, isStepOver: Pace): Steps<void> {
  for (const from of holders) {
    const part = desk.document[from]
    if (Array.isArray(part)) {
      for (const [place, item] of part.entries()) {
        yield* eachNamedInSteps(from, item, missing(desk, from, place), isStepOver)
      }
    } else if (part) yield* eachNamedInSteps(from, part, missing(desk, from), isStepOver)
  }
}

export function lintItem(desk: Desk, from: string, item: object, at: string): void {
  eachNamed(from, item, missing(desk, at))
}

/** `place` is the item's where `at` is its list. */
function missing(desk: Desk, at: string, place?: number): Tell {
  return (edge, path, id) => {
    if (lookUp(desk, edge.names, id)) return
    const where = place === undefined ? at : `${at}[${place}]`
    note(desk, edge.code as LintCode, `${where}.${path}`, `There is no ${nouns[edge.names]} ${id}.`)
  }
}
