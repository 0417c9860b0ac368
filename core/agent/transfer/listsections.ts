/** Imports the sections with rules of their own: playbooks, outreach and tool bindings. */
import { isRefusal } from '../../errors.js'
import { agentLimits } from '../../limits/index.js'
import { type AgentDocument, findItem, listSections, withSection } from '../document.js'
import { storedFlow } from '../flows/storedflow.js'
import { assignmentRefusal } from '../goals.js'
import { invalidFields, type Outcome, schemaError, withoutUndefined } from '../outcome.js'
import { outreachFaults } from '../outreach.js'
import type { ToolBinding } from '../resources/capabilities.js'
import type { PlaybookBody, StoredPlaybook } from '../resources/playbook.js'
import { PlaybookBody as PlaybookBodySchema } from '../resources/playbook.js'
import type { Outreach } from '../resources/templates.js'
import { faultsOf } from '../schemacheck.js'
import { freeSlug } from '../slug.js'
import { isSecretField, putBinding } from '../toolbindings.js'
import { checkUses, defaultUses } from '../uses.js'

interface ListSectionInput {
  readonly document: AgentDocument
  readonly value: unknown
}

const playbookList = { type: 'array', items: PlaybookBodySchema, maxItems: agentLimits.playbooks.max }

export function importPlaybooks({ document, value }: ListSectionInput): Outcome {
  const faults = faultsOf(playbookList, value, 'playbooks')
  if (faults.length > 0) return invalidFields(faults)
  const input = value as PlaybookBody[]
  const defaults = input.filter(({ isDefault }) => isDefault)
  // A playbook that an outreach owns is never the default, so a list of only such playbooks has none.
  const needsDefault = input.some(({ outreachId }) => outreachId === undefined)
  if (needsDefault && defaults.length !== 1) {
    return invalidFields([
      { field: 'playbooks', message: `must hold exactly one default, and holds ${defaults.length}` },
    ])
  }
  if (defaults[0]?.outreachId !== undefined) {
    return invalidFields([{ field: 'playbooks', message: 'must have a default that no outreach owns' }])
  }
  const usedIds = new Set(input.flatMap(({ id }) => id ?? []))
  const playbooks: StoredPlaybook[] = []
  for (const [index, { flow, goal, uses, ...plain }] of input.entries()) {
    const at = `playbooks[${index}]`
    const validUses = uses ? checkUses(document, uses, `${at}.uses`) : defaultUses(document)
    if (isRefusal(validUses)) return validUses
    const refusal = assignmentRefusal(document.goals, [{ at: `${at}.goal`, goal: goal ?? undefined }])
    if (refusal) return refusal
    const id = plain.id ?? freeSlug(plain.name, 'playbook', (slug) => usedIds.has(slug))
    usedIds.add(id)
    const body = plain.body ?? ''
    const playbook = {
      ...plain,
      id,
      body,
      uses: validUses,
      isDefault: plain.isDefault ?? false,
      goal: goal ?? undefined,
    }
    const flowFields = flow ? storedFlow(flow, playbook, findItem(document, 'playbooks', id)) : {}
    playbooks.push(withoutUndefined({ ...playbook, ...flowFields }) as StoredPlaybook)
  }
  return withSection(document, 'playbooks', playbooks)
}

/** Playbooks of removed outreaches are removed with them. */
export function importOutreach({ document, value }: ListSectionInput): Outcome {
  const error = schemaError(listSections.outreach, value, 'outreach')
  if (error) return error
  const input = value as Outreach[]
  const goals = input.map(({ goal }, index) => ({ at: `outreach[${index}].goal`, goal }))
  const refusal = assignmentRefusal(document.goals, goals)
  if (refusal) return refusal
  const faults = input.flatMap((each, index) => outreachFaults(document, each, `outreach[${index}]`))
  if (faults.length > 0) return invalidFields(faults)
  const owners = new Set(input.map(({ id }) => id))
  const remaining = document.playbooks.filter(({ outreachId }) => outreachId === undefined || owners.has(outreachId))
  const playbooks = remaining.length === document.playbooks.length ? document.playbooks : remaining
  return withSection(withSection(document, 'outreach', input), 'playbooks', playbooks)
}

export function importBindings({ document, value }: ListSectionInput): Outcome {
  const error = schemaError(listSections.toolBindings, value, 'toolBindings')
  if (error) return error
  let candidate = withSection(document, 'toolBindings', [])
  for (const [index, { toolId, config, enabled }] of (value as ToolBinding[]).entries()) {
    const at = `toolBindings[${index}]`
    const secret = Object.keys(config).find((name) => isSecretField(toolId, name))
    if (secret !== undefined)
      return invalidFields([{ field: `${at}.config.${secret}`, message: 'is secret and does not travel' }])
    const updated = putBinding(candidate, toolId, config, 'replace')
    if (isRefusal(updated)) {
      const faults = updated.errors ?? [{ field: 'toolId', message: `The catalog has no tool ${toolId}` }]
      return invalidFields(faults.map((fault) => ({ ...fault, field: `${at}.${fault.field}` })))
    }
    const bindings = updated.document.toolBindings
    candidate = withSection(
      candidate,
      'toolBindings',
      bindings.map((each) => (each.toolId === toolId ? { ...each, enabled: enabled ?? true } : each)),
    )
  }
  return candidate
}
