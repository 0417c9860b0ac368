/** The sections of an import that have rules of their own: playbooks, outreach and tool bindings. */
import { isRefusal } from '../../errors.js'
import { agentLimits } from '../../limits.js'
import { faultsOf } from '../check.js'
import { type AgentDocument, find, listSections, withSection } from '../document.js'
import { keptFlow } from '../flows/kept.js'
import { assignmentRefusal } from '../goals.js'
import { outreachFaults } from '../outreach.js'
import type { ToolBinding } from '../resources/capabilities.js'
import type { KeptPlaybook, PlaybookBody } from '../resources/playbook.js'
import { PlaybookBody as PlaybookBodySchema } from '../resources/playbook.js'
import type { Outreach } from '../resources/templates.js'
import { freeSlug } from '../slug.js'
import { bindingWritten, isSecretField } from '../toolbindings.js'
import { checkedUses, filledUses } from '../uses.js'
import { invalidFields, misshapen, type Outcome, tidy } from '../writing.js'

interface Piece {
  readonly document: AgentDocument
  readonly value: unknown
}

const playbookList = { type: 'array', items: PlaybookBodySchema, maxItems: agentLimits.playbooks.most }

export function playbooksImported({ document, value }: Piece): Outcome {
  const faults = faultsOf(playbookList, value, 'playbooks')
  if (faults.length > 0) return invalidFields(faults)
  const sent = value as PlaybookBody[]
  const defaults = sent.filter(({ isDefault }) => isDefault)
  // Those of outreaches are never the default, so where there is no other there is none.
  const wantsDefault = sent.some(({ outreachId }) => outreachId === undefined)
  if (wantsDefault && defaults.length !== 1) {
    return invalidFields([
      { field: 'playbooks', message: `must hold exactly one default, and holds ${defaults.length}` },
    ])
  }
  if (defaults[0]?.outreachId !== undefined) {
    return invalidFields([{ field: 'playbooks', message: 'must have a default that no outreach owns' }])
  }
  const taken = new Set(sent.flatMap(({ id }) => id ?? []))
  const made: KeptPlaybook[] = []
  for (const [place, { flow, goal, uses, ...plain }] of sent.entries()) {
    const at = `playbooks[${place}]`
    const judged = uses ? checkedUses(document, uses, `${at}.uses`) : filledUses(document)
    if (isRefusal(judged)) return judged
    const refusal = assignmentRefusal(document.goals, [{ at: `${at}.goal`, goal: goal ?? undefined }])
    if (refusal) return refusal
    const id = plain.id ?? freeSlug(plain.name, 'playbook', (slug) => taken.has(slug))
    taken.add(id)
    const body = plain.body ?? ''
    const kept = { ...plain, id, body, uses: judged, isDefault: plain.isDefault ?? false, goal: goal ?? undefined }
    const flowKept = flow ? keptFlow(flow, kept, find(document, 'playbooks', id)) : {}
    made.push(tidy({ ...kept, ...flowKept }) as KeptPlaybook)
  }
  return withSection(document, 'playbooks', made)
}

/** Playbooks go with the outreach that owned them. */
export function outreachImported({ document, value }: Piece): Outcome {
  const wrong = misshapen(listSections.outreach, value, 'outreach')
  if (wrong) return wrong
  const sent = value as Outreach[]
  const goals = sent.map(({ goal }, place) => ({ at: `outreach[${place}].goal`, goal }))
  const refusal = assignmentRefusal(document.goals, goals)
  if (refusal) return refusal
  const faults = sent.flatMap((each, place) => outreachFaults(document, each, `outreach[${place}]`))
  if (faults.length > 0) return invalidFields(faults)
  const owners = new Set(sent.map(({ id }) => id))
  const left = document.playbooks.filter(({ outreachId }) => outreachId === undefined || owners.has(outreachId))
  const playbooks = left.length === document.playbooks.length ? document.playbooks : left
  return withSection(withSection(document, 'outreach', sent), 'playbooks', playbooks)
}

export function bindingsImported({ document, value }: Piece): Outcome {
  const wrong = misshapen(listSections.toolBindings, value, 'toolBindings')
  if (wrong) return wrong
  let candidate = withSection(document, 'toolBindings', [])
  for (const [place, { toolId, config, enabled }] of (value as ToolBinding[]).entries()) {
    const at = `toolBindings[${place}]`
    const secret = Object.keys(config).find((name) => isSecretField(toolId, name))
    if (secret !== undefined)
      return invalidFields([{ field: `${at}.config.${secret}`, message: 'is secret and does not travel' }])
    const written = bindingWritten(candidate, toolId, config, 'replace')
    if (isRefusal(written)) {
      const faults = written.errors ?? [{ field: 'toolId', message: `The catalog has no tool ${toolId}` }]
      return invalidFields(faults.map((fault) => ({ ...fault, field: `${at}.${fault.field}` })))
    }
    const bindings = written.document.toolBindings
    candidate = withSection(
      candidate,
      'toolBindings',
      bindings.map((each) => (each.toolId === toolId ? { ...each, enabled: enabled ?? true } : each)),
    )
  }
  return candidate
}
