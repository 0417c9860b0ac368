/** The catalogs: one table from kind to entries, and its lookups. */
import type { TSchema } from 'typebox'
import type { ProviderForm } from '../channel/form.js'
import type { ChannelName } from '../channelnames.js'
import { agentTemplates } from './agents.js'
import { channels } from './channels.js'
import { guardrailTemplates } from './guardrails.js'
import { logEvents } from './logevents.js'
import { objectiveTemplates } from './objectives.js'
import { personalityTemplates } from './personalities.js'
import { playbookTemplates } from './playbooks.js'
import * as shapes from './shapes.js'
import { skillTemplates } from './skills.js'
import { tools } from './tools.js'
import { webhookEvents } from './webhookevents.js'

interface Catalog {
  readonly shape: TSchema
  readonly entries: readonly { readonly id: string }[]
}

const catalogs = {
  'agent-templates': { shape: shapes.AgentTemplate, entries: agentTemplates },
  'playbook-templates': { shape: shapes.PlaybookTemplate, entries: playbookTemplates },
  'skill-templates': { shape: shapes.SkillTemplate, entries: skillTemplates },
  'objective-templates': { shape: shapes.ObjectiveTemplate, entries: objectiveTemplates },
  'personality-templates': { shape: shapes.PersonalityTemplate, entries: personalityTemplates },
  'guardrail-templates': { shape: shapes.GuardrailTemplate, entries: guardrailTemplates },
  tools: { shape: shapes.Tool, entries: tools },
  channels: { shape: shapes.ChannelSetup, entries: channels },
  'log-events': { shape: shapes.LogEvent, entries: logEvents },
  'webhook-events': { shape: shapes.WebhookEvent, entries: webhookEvents },
} as const satisfies Record<string, Catalog>

export type CatalogKind = keyof typeof catalogs
export type EntryOf<K extends CatalogKind> = (typeof catalogs)[K]['entries'][number]

export const catalogKinds = Object.keys(catalogs) as CatalogKind[]

/** Entries are shared by all readers, so a caller that copies one onto an agent must not be able to change it. */
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const inner of Object.values(value)) freeze(inner)
}

const byId = new Map<CatalogKind, ReadonlyMap<string, { readonly id: string }>>()
for (const kind of catalogKinds) {
  const entries: Catalog['entries'] = catalogs[kind].entries
  freeze(entries)
  byId.set(kind, new Map(entries.map((entry) => [entry.id, entry])))
}

export function isCatalogKind(kind: string): kind is CatalogKind {
  return Object.hasOwn(catalogs, kind)
}

export function shapeOf<K extends CatalogKind>(kind: K): (typeof catalogs)[K]['shape'] {
  return catalogs[kind].shape
}

export function listCatalog<K extends CatalogKind>(kind: K): readonly EntryOf<K>[] {
  return catalogs[kind].entries
}

export function findInCatalog<K extends CatalogKind>(kind: K, id: string): EntryOf<K> | undefined {
  return byId.get(kind)?.get(id) as EntryOf<K> | undefined
}

/** The form with which operators bind a built-in provider. */
export function providerForm(channel: ChannelName, provider: string): ProviderForm {
  const form = findInCatalog('channels', channel)?.unmanaged.find((each) => each.provider === provider)
  if (!form) throw new Error(`the catalog has no provider ${provider} of ${channel}`)
  return form
}

/**
 * The resting playbook of an agent made from this template: the one of its playbooks that is marked as a default. A
 * template names exactly one such playbook.
 */
export function defaultPlaybookOf(template: shapes.AgentTemplate): shapes.PlaybookTemplate {
  const playbooks = (template.playbookTemplateIds ?? []).map((id) => findInCatalog('playbook-templates', id))
  const [first, second] = playbooks.filter((playbook) => playbook?.isDefault)
  if (!first || second) throw new Error(`${template.id} must name exactly one default playbook`)
  return first
}
