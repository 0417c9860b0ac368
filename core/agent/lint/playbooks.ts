/** What is wrong with playbooks besides their flows. */
import { findInCatalog } from '../../catalogs/index.js'
import type { Item } from '../document.js'
import { isUse } from '../uses.js'
import { chipLabelsIn, lintLabels } from './chips.js'
import { type Desk, lookUp, note } from './findings.js'
import { circles } from './graph.js'

type Playbook = Item<'playbooks'>

export function lintPlaybook(desk: Desk, playbook: Playbook, at: string): void {
  const { uses, toolRefs, whenToUse, isDefault, outreachId, body } = playbook
  if ((uses as readonly string[] | undefined) === undefined) {
    note(desk, 'playbook.uses.missing', at, 'The playbook does not say what it acts through.')
  }
  for (const [place, use] of (uses ?? []).entries()) {
    if (!use.startsWith('integration:') && !isUse(use)) {
      note(desk, 'playbook.uses.unknown', `${at}.uses[${place}]`, `There is no capability ${use}.`)
    }
  }
  for (const [place, toolId] of (toolRefs ?? []).entries()) {
    if (!findInCatalog('tools', toolId)) {
      note(desk, 'playbook.tool.unknown', `${at}.toolRefs[${place}]`, `The catalog has no tool ${toolId}.`)
    }
  }
  if (isDefault && outreachId !== undefined) {
    note(desk, 'playbook.default.owned', at, 'The default playbook belongs to an outreach.')
  }
  if (outreachId !== undefined && !lookUp(desk, 'outreach', outreachId)) {
    note(desk, 'playbook.outreach.unknown', `${at}.outreachId`, `There is no outreach ${outreachId}.`)
  }
  if (!isDefault && outreachId === undefined && !whenToUse?.trim()) {
    note(desk, 'playbook.whenToUse.missing', `${at}.whenToUse`, 'The playbook does not say when it is to be used.')
  }
  lintLabels(desk, 'playbook.chip.keyword', `${at}.body`, chipLabelsIn(body))
}

export function lintDefaults(desk: Desk): void {
  const { playbooks } = desk.document
  const defaults = playbooks.filter(({ isDefault }) => isDefault)
  const offered = playbooks.filter(({ outreachId }) => outreachId === undefined)
  if (offered.length > 0 && defaults.length === 0) {
    note(desk, 'playbook.default.missing', 'playbooks', 'No playbook is the default.')
  }
  if (defaults.length > 1) {
    const ids = defaults.map(({ id }) => id).join(', ')
    note(desk, 'playbook.default.several', 'playbooks', `More than one playbook is the default: ${ids}.`)
  }
}

/** Flows that call each other in a circle. */
export function lintCalls(desk: Desk): void {
  const { playbooks } = desk.document
  const calls = new Map<string, string[]>()
  const places = new Map<string, number>()
  for (const [place, { id, flow }] of playbooks.entries()) {
    places.set(id, place)
    const called = flow?.steps.flatMap(({ call }) => call ?? []) ?? []
    if (called.length > 0) calls.set(id, called)
  }
  for (const circle of circles(calls)) {
    const [first = ''] = circle
    const message = `The flows of ${[...circle, first].join(', ')} call each other.`
    note(desk, 'flow.call.cycle', `playbooks[${places.get(first)}].flow`, message)
  }
}
