/** Playbooks: making, changing and removing them, with exactly one default whenever there are any. */
import { findInCatalog } from '../catalogs/index.js'
import { invalid, isRefusal, type Refusal, refuse } from '../errors.js'
import { agentLimits as limits } from '../limits.js'
import { type AgentDocument, find, type Item, placeOf, withItem, withSection } from './document.js'
import { keptFlow } from './flows/kept.js'
import { assignmentRefusal } from './goals.js'
import { flowRefusal } from './lint/index.js'
import { type KeptPlaybook, PlaybookBody, PlaybookPatch } from './resources/playbook.js'
import { freeSlug } from './slug.js'
import { checkedUses, filledUses } from './uses.js'
import { misshapen, type Outcome, tidy } from './writing.js'

type Playbook = Item<'playbooks'>

/** POST: a new playbook, behind the others. The first is the default whatever it says; one that an outreach owns never is. */
export function playbookAdded(
  document: AgentDocument,
  body: unknown,
  outreachId?: string,
): { document: AgentDocument; id: string } | Refusal {
  const wrong = misshapen(PlaybookBody, body)
  if (wrong) return wrong
  const { id: wanted, isDefault = false, outreachId: _sent, derivedFrom: _origin, ...own } = body as PlaybookBody
  const isTaken = (slug: string) => find(document, 'playbooks', slug) !== undefined
  if (wanted !== undefined && isTaken(wanted)) return invalid('id', 'is the id of another playbook')
  const { most } = limits.playbooks
  if (document.playbooks.length >= most) return invalid('playbooks', `must hold at most ${most}`)
  if (isDefault && outreachId !== undefined) return ownedDefault
  const id = wanted ?? freeSlug(own.name, 'playbook', isTaken)
  const blank = tidy({ id, name: own.name, body: '', uses: filledUses(document), isDefault: false, outreachId })
  const candidate = laidIn(document, blank, own)
  if (isRefusal(candidate)) return candidate
  return { document: isDefault ? movedTo(candidate, id) : withOneDefault(candidate), id }
}

const ownedDefault = invalid('isDefault', 'cannot be true for a playbook that an outreach owns')

/** PUT: what is left out is gone, but for uses, flow, isDefault and what the house keeps. */
export function playbookReplaced(document: AgentDocument, id: string, body: unknown): Outcome {
  const wrong = misshapen(PlaybookBody, body) ?? foreignId(body, id)
  const kept = find(document, 'playbooks', id)
  if (wrong || !kept) return wrong ?? refuse('resource.not_found')
  const { uses, flow, flowBodyHash, isDefault, outreachId, derivedFrom } = kept
  const blank = { id, name: '', body: '', uses, flow, flowBodyHash, isDefault, outreachId, derivedFrom }
  return changed(document, tidy(blank) as KeptPlaybook, body as PlaybookBody)
}

/** PATCH: null takes an optional member away. */
export function playbookPatched(document: AgentDocument, id: string, body: unknown): Outcome {
  const wrong = misshapen(PlaybookPatch, body) ?? foreignId(body, id)
  const kept = find(document, 'playbooks', id)
  if (wrong || !kept) return wrong ?? refuse('resource.not_found')
  return changed(document, kept, body as PlaybookPatch)
}

function foreignId(body: unknown, id: string): Refusal | undefined {
  const sent = (body as { id?: string }).id
  return sent === undefined || sent === id ? undefined : invalid('id', 'must be the id of the path')
}

function changed(document: AgentDocument, kept: Playbook, sent: PlaybookPatch): Outcome {
  const { isDefault, outreachId: _outreach, derivedFrom: _origin, id: _id, ...own } = sent
  if (isDefault && kept.outreachId !== undefined) return ownedDefault
  if (isDefault === false && kept.isDefault)
    return invalid('isDefault', 'cannot be taken away: make another playbook the default')
  const candidate = laidIn(document, kept, own)
  return isRefusal(candidate) || !isDefault ? candidate : movedTo(candidate, kept.id)
}

type Own = Omit<PlaybookPatch, 'id' | 'isDefault' | 'outreachId' | 'derivedFrom'>

/** The document with the playbook as it becomes, once uses, goal and flow are judged. */
function laidIn(document: AgentDocument, before: Playbook, { uses, flow, goal, ...sent }: Own): Outcome {
  const judged = uses === undefined ? before.uses : checkedUses(document, uses)
  if (isRefusal(judged)) return judged
  const place = placeOf(document.playbooks, before.id)
  const at = `playbooks[${place < 0 ? document.playbooks.length : place}]`
  const refusal = assignmentRefusal(document.goals, [{ at: `${at}.goal`, goal: goal ?? undefined }])
  if (refusal) return refusal
  const { id } = before
  const { body = before.body, name = before.name } = sent
  const playbook = tidy({
    ...before,
    ...withoutNulls(sent),
    body,
    uses: judged,
    ...(flow && keptFlow(flow, { id, name, body }, before, sent.body === undefined)),
    ...(flow === null && { flow: undefined, flowBodyHash: undefined }),
    goal: goal === undefined ? before.goal : (goal ?? undefined),
  }) as Playbook
  const candidate = withItem(document, 'playbooks', playbook)
  return flowRefusal(candidate, playbook.id) ?? candidate
}

/** A member that is null is taken away. */
function withoutNulls(sent: object): object {
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, value ?? undefined]))
}

/** A playbook as callers read it. */
export function playbookView(kept: Playbook): Omit<Playbook, 'flowBodyHash'> {
  const { flowBodyHash, ...playbook } = kept
  return flowBodyHash === undefined ? kept : playbook
}

/** The default goes with the playbook; the next one that no outreach owns takes its place. */
export function playbookRemoved(document: AgentDocument, id: string): Outcome {
  if (!find(document, 'playbooks', id)) return refuse('resource.not_found')
  const place = document.playbooks.findIndex((each) => each.id === id)
  const left = document.playbooks.filter((each) => each.id !== id)
  return withOneDefault(withSection(document, 'playbooks', left), place)
}

/** `_setDefault`. */
export function defaultMoved(document: AgentDocument, id: string): Outcome {
  const playbook = find(document, 'playbooks', id)
  if (!playbook) return refuse('resource.not_found')
  if (playbook.outreachId !== undefined) return ownedDefault
  return movedTo(document, id)
}

function movedTo(document: AgentDocument, id: string): AgentDocument {
  const playbooks = document.playbooks.map((each) =>
    each.isDefault === (each.id === id) ? each : { ...each, isDefault: each.id === id },
  )
  return withSection(document, 'playbooks', playbooks)
}

/** Promotes the next playbook from a place on, where there is no default. */
export function withOneDefault(document: AgentDocument, from = 0): AgentDocument {
  const { playbooks } = document
  if (playbooks.some(({ isDefault }) => isDefault)) return document
  const inOrder = [...playbooks.slice(from), ...playbooks.slice(0, from)]
  const next = inOrder.find(({ outreachId }) => outreachId === undefined)
  return next ? movedTo(document, next.id) : document
}

/** The contents of a catalog template, as a playbook has them. */
export function copiedPlaybook(templateId: string) {
  const template = findInCatalog('playbook-templates', templateId)
  if (!template) return undefined
  const { name, description, whenToUse, body, examples, version } = template
  return tidy({ name, description, whenToUse, body, examples, derivedFrom: { templateId, version } })
}

/** A copy of a catalog template, behind the others; a second copy has an id of its own. */
export function playbookImported(
  document: AgentDocument,
  templateId: string,
): { document: AgentDocument; id: string } | Refusal {
  const copy = copiedPlaybook(templateId)
  if (!copy) return refuse('resource.not_found', { detail: `The catalog has no playbook ${templateId}.` })
  const { derivedFrom, ...body } = copy
  const added = playbookAdded(document, body)
  if (isRefusal(added)) return added
  const playbook = find(added.document, 'playbooks', added.id)!
  return { document: withItem(added.document, 'playbooks', { ...playbook, derivedFrom }), id: added.id }
}

/** What a conversation can be routed to: all but those that another outreach owns. */
export function offeredPlaybooks({ playbooks }: AgentDocument, outreachId?: string): Playbook[] {
  return playbooks.filter((each) => each.outreachId === undefined || each.outreachId === outreachId)
}
