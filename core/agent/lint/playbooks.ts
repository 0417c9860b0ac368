/** Lints playbooks apart from their flows. */
import { findInCatalog } from '../../catalogs/index.js'
import type { Item } from '../document.js'
import { isUse } from '../uses.js'
import { chipLabelsIn, lintLabels } from './chips.js'
import { addFinding, type LintContext, lookUp } from './findings.js'
import { findCycles } from './graph.js'

type Playbook = Item<'playbooks'>

export function lintPlaybook(context: LintContext, playbook: Playbook, at: string): void {
  const { uses, toolRefs, whenToUse, isDefault, outreachId, body } = playbook
  if ((uses as readonly string[] | undefined) === undefined) {
    addFinding(context, 'playbook.uses.missing', at, 'The playbook does not say what it acts through.')
  }
  for (const [index, use] of (uses ?? []).entries()) {
    if (!use.startsWith('integration:') && !isUse(use)) {
      addFinding(context, 'playbook.uses.unknown', `${at}.uses[${index}]`, `There is no capability ${use}.`)
    }
  }
  for (const [index, toolId] of (toolRefs ?? []).entries()) {
    if (!findInCatalog('tools', toolId)) {
      addFinding(context, 'playbook.tool.unknown', `${at}.toolRefs[${index}]`, `The catalog has no tool ${toolId}.`)
    }
  }
  if (isDefault && outreachId !== undefined) {
    addFinding(context, 'playbook.default.owned', at, 'The default playbook belongs to an outreach.')
  }
  if (outreachId !== undefined && !lookUp(context, 'outreach', outreachId)) {
    addFinding(context, 'playbook.outreach.unknown', `${at}.outreachId`, `There is no outreach ${outreachId}.`)
  }
  if (!isDefault && outreachId === undefined && !whenToUse?.trim()) {
    addFinding(
      context,
      'playbook.whenToUse.missing',
      `${at}.whenToUse`,
      'The playbook does not say when it is to be used.',
    )
  }
  lintLabels(context, 'playbook.chip.keyword', `${at}.body`, chipLabelsIn(body))
}

export function lintDefaults(context: LintContext): void {
  const { playbooks } = context.document
  const defaults = playbooks.filter(({ isDefault }) => isDefault)
  const unowned = playbooks.filter(({ outreachId }) => outreachId === undefined)
  if (unowned.length > 0 && defaults.length === 0) {
    addFinding(context, 'playbook.default.missing', 'playbooks', 'No playbook is the default.')
  }
  if (defaults.length > 1) {
    const ids = defaults.map(({ id }) => id).join(', ')
    addFinding(context, 'playbook.default.several', 'playbooks', `More than one playbook is the default: ${ids}.`)
  }
}

/** Finds flows that call each other in a cycle. */
export function lintCalls(context: LintContext): void {
  const { playbooks } = context.document
  const calls = new Map<string, string[]>()
  const indexById = new Map<string, number>()
  for (const [index, { id, flow }] of playbooks.entries()) {
    indexById.set(id, index)
    const calledIds = flow?.steps.flatMap(({ call }) => call ?? []) ?? []
    if (calledIds.length > 0) calls.set(id, calledIds)
  }
  for (const cycle of findCycles(calls)) {
    const [first = ''] = cycle
    const message = `The flows of ${[...cycle, first].join(', ')} call each other.`
    addFinding(context, 'flow.call.cycle', `playbooks[${indexById.get(first)}].flow`, message)
  }
}
