/** Playbooks: create, change and remove, with exactly one default among those that no outreach owns. */
import { findInCatalog } from '../catalogs/index.js'
import { invalid, isRefusal, type Refusal, refuse } from '../errors.js'
import { agentLimits as limits } from '../limits/index.js'
import { type AgentDocument, findItem, type Item, itemIndexOf, withItem, withSection } from './document.js'
import { storedFlow } from './flows/storedflow.js'
import { assignmentRefusal } from './goals.js'
import { flowRefusal } from './lint/index.js'
import { type Outcome, schemaError, withoutUndefined } from './outcome.js'
import { PlaybookBody, PlaybookPatch, type StoredPlaybook } from './resources/playbook.js'
import { freeSlug } from './slug.js'
import { checkUses, defaultUses } from './uses.js'

type Playbook = Item<'playbooks'>

/** POST: appends a new playbook. The first is the default in any case; one that an outreach owns never is. */
export function addPlaybook(
  document: AgentDocument,
  body: unknown,
  outreachId?: string,
): { document: AgentDocument; id: string } | Refusal {
  const error = schemaError(PlaybookBody, body)
  if (error) return error
  const {
    id: requestedId,
    isDefault = false,
    outreachId: _sent,
    derivedFrom: _origin,
    ...content
  } = body as PlaybookBody
  const isTaken = (slug: string) => findItem(document, 'playbooks', slug) !== undefined
  if (requestedId !== undefined && isTaken(requestedId)) return invalid('id', 'is the id of another playbook')
  const { max } = limits.playbooks
  if (document.playbooks.length >= max) return invalid('playbooks', `must hold at most ${max}`)
  if (isDefault && outreachId !== undefined) return ownedDefaultRefusal
  const id = requestedId ?? freeSlug(content.name, 'playbook', isTaken)
  const blank = withoutUndefined({
    id,
    name: content.name,
    body: '',
    uses: defaultUses(document),
    isDefault: false,
    outreachId,
  })
  const candidate = putPlaybook(document, blank, content)
  if (isRefusal(candidate)) return candidate
  return { document: isDefault ? withDefault(candidate, id) : withOneDefault(candidate), id }
}

const ownedDefaultRefusal = invalid('isDefault', 'cannot be true for a playbook that an outreach owns')

/** PUT: removes what the body leaves out, except uses, flow, isDefault and fields that callers cannot set. */
export function replacePlaybook(document: AgentDocument, id: string, body: unknown): Outcome {
  const error = schemaError(PlaybookBody, body) ?? idMismatchError(body, id)
  const stored = findItem(document, 'playbooks', id)
  if (error || !stored) return error ?? refuse('resource.not_found')
  const { uses, flow, flowBodyHash, isDefault, outreachId, derivedFrom } = stored
  const blank = { id, name: '', body: '', uses, flow, flowBodyHash, isDefault, outreachId, derivedFrom }
  return changePlaybook(document, withoutUndefined(blank) as StoredPlaybook, body as PlaybookBody)
}

/** PATCH: null removes an optional member. */
export function patchPlaybook(document: AgentDocument, id: string, body: unknown): Outcome {
  const error = schemaError(PlaybookPatch, body) ?? idMismatchError(body, id)
  const stored = findItem(document, 'playbooks', id)
  if (error || !stored) return error ?? refuse('resource.not_found')
  return changePlaybook(document, stored, body as PlaybookPatch)
}

function idMismatchError(body: unknown, id: string): Refusal | undefined {
  const input = (body as { id?: string }).id
  return input === undefined || input === id ? undefined : invalid('id', 'must be the id of the path')
}

function changePlaybook(document: AgentDocument, stored: Playbook, input: PlaybookPatch): Outcome {
  const { isDefault, outreachId: _outreach, derivedFrom: _origin, id: _id, ...content } = input
  if (isDefault && stored.outreachId !== undefined) return ownedDefaultRefusal
  if (isDefault === false && stored.isDefault)
    return invalid('isDefault', 'cannot be taken away: make another playbook the default')
  const candidate = putPlaybook(document, stored, content)
  return isRefusal(candidate) || !isDefault ? candidate : withDefault(candidate, stored.id)
}

type PlaybookContent = Omit<PlaybookPatch, 'id' | 'isDefault' | 'outreachId' | 'derivedFrom'>

/** The document with the changed playbook, or the refusal of its uses, goal or flow. */
function putPlaybook(
  document: AgentDocument,
  before: Playbook,
  { uses, flow, goal, ...input }: PlaybookContent,
): Outcome {
  const validUses = uses === undefined ? before.uses : checkUses(document, uses)
  if (isRefusal(validUses)) return validUses
  const index = itemIndexOf(document.playbooks, before.id)
  const at = `playbooks[${index < 0 ? document.playbooks.length : index}]`
  const refusal = assignmentRefusal(document.goals, [{ at: `${at}.goal`, goal: goal ?? undefined }])
  if (refusal) return refusal
  const { id } = before
  const { body = before.body, name = before.name } = input
  const playbook = withoutUndefined({
    ...before,
    ...withoutNulls(input),
    body,
    uses: validUses,
    ...(flow && storedFlow(flow, { id, name, body }, before, input.body === undefined)),
    ...(flow === null && { flow: undefined, flowBodyHash: undefined }),
    goal: goal === undefined ? before.goal : (goal ?? undefined),
  }) as Playbook
  const candidate = withItem(document, 'playbooks', playbook)
  return flowRefusal(candidate, playbook.id) ?? candidate
}

/** Removes members that are null. */
function withoutNulls(input: object): object {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, value ?? undefined]))
}

/** A playbook as callers read it. */
export function playbookView(stored: Playbook): Omit<Playbook, 'flowBodyHash'> {
  const { flowBodyHash, ...playbook } = stored
  return flowBodyHash === undefined ? stored : playbook
}

/** When the default is removed, the next playbook that no outreach owns becomes the default. */
export function removePlaybook(document: AgentDocument, id: string): Outcome {
  if (!findItem(document, 'playbooks', id)) return refuse('resource.not_found')
  const index = document.playbooks.findIndex((each) => each.id === id)
  const remaining = document.playbooks.filter((each) => each.id !== id)
  return withOneDefault(withSection(document, 'playbooks', remaining), index)
}

/** `_setDefault`. */
export function setDefaultPlaybook(document: AgentDocument, id: string): Outcome {
  const playbook = findItem(document, 'playbooks', id)
  if (!playbook) return refuse('resource.not_found')
  if (playbook.outreachId !== undefined) return ownedDefaultRefusal
  return withDefault(document, id)
}

function withDefault(document: AgentDocument, id: string): AgentDocument {
  const playbooks = document.playbooks.map((each) =>
    each.isDefault === (each.id === id) ? each : { ...each, isDefault: each.id === id },
  )
  return withSection(document, 'playbooks', playbooks)
}

/** Without a default, makes one of the next playbook from index `from` on. */
export function withOneDefault(document: AgentDocument, from = 0): AgentDocument {
  const { playbooks } = document
  if (playbooks.some(({ isDefault }) => isDefault)) return document
  const rotated = [...playbooks.slice(from), ...playbooks.slice(0, from)]
  const next = rotated.find(({ outreachId }) => outreachId === undefined)
  return next ? withDefault(document, next.id) : document
}

/** The content of a catalog template as members of a playbook. */
export function copyPlaybook(templateId: string) {
  const template = findInCatalog('playbook-templates', templateId)
  if (!template) return undefined
  const { name, description, whenToUse, body, examples, version } = template
  return withoutUndefined({ name, description, whenToUse, body, examples, derivedFrom: { templateId, version } })
}

/** Appends a copy of a catalog template; a second copy gets its own id. */
export function importPlaybook(
  document: AgentDocument,
  templateId: string,
): { document: AgentDocument; id: string } | Refusal {
  const copy = copyPlaybook(templateId)
  if (!copy) return refuse('resource.not_found', { detail: `The catalog has no playbook ${templateId}.` })
  const { derivedFrom, ...body } = copy
  const withPlaybook = addPlaybook(document, body)
  if (isRefusal(withPlaybook)) return withPlaybook
  const playbook = findItem(withPlaybook.document, 'playbooks', withPlaybook.id)!
  return { document: withItem(withPlaybook.document, 'playbooks', { ...playbook, derivedFrom }), id: withPlaybook.id }
}

/** The playbooks that a conversation can be routed to: all except those of other outreaches. */
export function availablePlaybooks({ playbooks }: AgentDocument, outreachId?: string): Playbook[] {
  return playbooks.filter((each) => each.outreachId === undefined || each.outreachId === outreachId)
}
