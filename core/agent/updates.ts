/** Updates of content that was copied from the catalog: which copies have a newer version, and how one is applied. */
import { findInCatalog } from '../catalogs/index.js'
import { invalid, refuse } from '../errors.js'
import { copyObjective } from './agenttemplate.js'
import { type AgentDocument, findItem, withItem, withSection } from './document.js'
import type { Outcome } from './outcome.js'
import { copyPersonality } from './personality.js'
import { copyPlaybook } from './playbooks.js'

export const updateKinds = ['personality', 'objective', 'skill', 'playbook'] as const
export type UpdateKind = (typeof updateKinds)[number]

export interface Update {
  readonly kind: UpdateKind
  readonly id: string
  readonly name: string
  readonly templateId: string
  readonly currentVersion: string
  /** Null when the template is no longer in the catalog. */
  readonly latestVersion: string | null
  readonly updateAvailable: boolean
  readonly templateMissing: boolean
}

const catalogOf = {
  personality: 'personality-templates',
  objective: 'objective-templates',
  playbook: 'playbook-templates',
} as const

interface TemplateCopy {
  readonly id: string
  readonly name: string
  readonly derivedFrom?: { readonly templateId: string; readonly version: string }
}

export function updatesOf({ personality, objectives, playbooks }: AgentDocument): {
  data: Update[]
  updateCount: number
} {
  const data = [
    ...(personality ? entriesOf('personality', [{ id: 'personality', name: 'Personality', ...personality }]) : []),
    ...entriesOf('objective', objectives),
    ...entriesOf('playbook', playbooks),
  ]
  return { data, updateCount: data.filter(({ updateAvailable }) => updateAvailable).length }
}

function entriesOf(kind: keyof typeof catalogOf, copies: readonly TemplateCopy[]): Update[] {
  return copies.flatMap(({ id, name, derivedFrom }) => {
    if (!derivedFrom) return []
    const { templateId, version: currentVersion } = derivedFrom
    const latest = findInCatalog(catalogOf[kind], templateId)
    const latestVersion = latest?.version ?? null
    const updateAvailable = latest !== undefined && latest.version !== currentVersion
    return [{ kind, id, name, templateId, currentVersion, latestVersion, updateAvailable, templateMissing: !latest }]
  })
}

/** Takes the current content of the catalog; the agent's own members (id, default, uses, flow, goal) stay. */
export function applyUpdate(document: AgentDocument, kind: string, id?: string): Outcome {
  if (kind === 'personality') {
    const templateId = document.personality?.derivedFrom?.templateId
    const copy = templateId === undefined ? undefined : copyPersonality(templateId)
    return copy ? withSection(document, 'personality', copy) : refuse('resource.not_found')
  }
  if (kind !== 'playbook' && kind !== 'objective') {
    return (updateKinds as readonly string[]).includes(kind)
      ? refuse('resource.not_found')
      : invalid('kind', `must be one of ${updateKinds.join(', ')}`)
  }
  if (id === undefined) return invalid('id', 'is required')
  if (kind === 'objective') {
    const objective = findItem(document, 'objectives', id)
    const copy = objective?.derivedFrom && copyObjective(objective.derivedFrom.templateId)
    return copy ? withItem(document, 'objectives', { id, ...copy }) : refuse('resource.not_found')
  }
  const playbook = findItem(document, 'playbooks', id)
  const copy = playbook?.derivedFrom && copyPlaybook(playbook.derivedFrom.templateId)
  return playbook && copy ? withItem(document, 'playbooks', { ...playbook, ...copy }) : refuse('resource.not_found')
}
