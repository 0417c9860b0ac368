/** References whose target is not there, read off the one table of references. */
import { nouns } from '../integrity.js'
import { eachNamed, holders } from '../references.js'
import type { LintCode } from './codes.js'
import { type Desk, lookUp, note } from './findings.js'

export function lintDangling(desk: Desk): void {
  for (const from of holders) {
    const part = desk.document[from]
    if (Array.isArray(part)) for (const [place, item] of part.entries()) lintItem(desk, from, item, `${from}[${place}]`)
    else if (part) lintItem(desk, from, part, from)
  }
}

export function lintItem(desk: Desk, from: string, item: object, at: string): void {
  eachNamed(from, item, (edge, path, id) => {
    if (!lookUp(desk, edge.names, id)) {
      note(desk, edge.code as LintCode, `${at}.${path}`, `There is no ${nouns[edge.names]} ${id}.`)
    }
  })
}
