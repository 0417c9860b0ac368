/**
 * The activity of an agent: every change of its configuration, merged with the entries that the audit trail has about
 * it.
 */
import Type, { type Static } from 'typebox'
import type { Actor } from '../../core/access.js'
import { closedObject, optional } from '../../core/agent/resources/schemas.js'
import type { AgentRef } from '../../core/agentref.js'
import { refuse } from '../../core/errors.js'
import { agentDocument as limits } from '../../core/limits/index.js'
import type { Query, Tx } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import type { AuditEntry } from '../audit/schema.js'
import { PageQuery, pagesOf } from './schema.js'
import { findAgent } from './store.js'

export interface ActivityEntry {
  /** The version of the agent that the change made; unique per agent. */
  readonly version: number
  readonly at: number
  /** Method and path below the agent, as in `PUT /personality`. */
  readonly action: string
  readonly changed: readonly string[]
  readonly item?: string
  readonly by?: Actor
}

const activityTable = table<[orgId: string, agentId: string, version: number], ActivityEntry>('agents.activity')

/** Appends an entry and removes the oldest beyond the limit. */
export function recordActivity(tx: Tx, { orgId, agentId }: AgentRef, entry: ActivityEntry): void {
  tx.put(activityTable, [orgId, agentId, entry.version], entry)
  const oldest = entry.version - limits.retainedAuditEntries
  if (oldest > 0) tx.remove(activityTable, [orgId, agentId, oldest])
}

export function deleteActivity(tx: Tx, { orgId, agentId }: AgentRef): void {
  for (const { key } of [...tx.range(activityTable, { prefix: [orgId, agentId] })]) tx.remove(activityTable, key)
}

const Activity = closedObject('AgentActivity', {
  version: optional(
    Type.Integer({ description: 'The version of the agent that this change made; absent where none was made.' }),
  ),
  at: Type.String({ format: 'date-time' }),
  action: Type.String({
    description:
      'Of a change of the configuration its method and path below the agent, as in `PUT /personality`; otherwise the action in the audit trail, as in `gateway.token_rotated`.',
  }),
  changed: optional(Type.Array(Type.String(), { description: 'The parts that are different now.' })),
  item: optional(Type.String({ description: 'Id of the one item that it was about.' })),
  by: optional(
    closedObject('Actor', {
      kind: Type.String(),
      id: Type.String({ description: 'Of the API key or the user.' }),
      keyId: optional(Type.String({ description: 'The key that a session was made with.' })),
      svcAgent: optional(Type.String({ description: 'The automated caller, as X-Svc-Agent named it.' })),
    }),
  ),
  target: optional(Type.String({ description: 'Id of what an action of the audit trail was done to.' })),
  requestId: optional(Type.String()),
  code: optional(Type.String({ description: 'Why access was refused.' })),
  count: optional(Type.Integer({ description: 'How many further refused calls the entry stands for.' })),
})
export type Activity = Static<typeof Activity>

export const ActivityList = pagesOf(Activity, 'AgentActivityList')
export const ActivityQuery = PageQuery

interface ActivityPageQuery extends AgentRef {
  readonly before?: number
  readonly limit: number
}

type Change = Activity & { readonly version: number }

interface ActivityPage {
  readonly data: Change[]
  /** When the agent was created. */
  readonly since: number
  readonly last?: number
}

/** Newest first; `last` is the position of the next page, absent at the end. */
export const activity: Query<ActivityPageQuery, ActivityPage> = {
  name: 'agents.activity',
  read(reader, { orgId, agentId, before, limit }) {
    const agent = findAgent(reader, { orgId, agentId })
    if (!agent) return refuse('resource.not_found')
    const since = agent.createdAt
    const after = before === undefined ? undefined : [orgId, agentId, before]
    const rows = reader.range(activityTable, { prefix: [orgId, agentId], after, reverse: true, limit: limit + 1 })
    const changes = Array.from(rows, ({ value }) => ({ ...value, at: new Date(value.at).toISOString() })) as Change[]
    const data = changes.slice(0, limit)
    return changes.length > limit ? { data, since, last: data.at(-1)!.version } : { data, since }
  },
}

/** End of a page among changes and among entries of the audit trail; empty at the beginning of the list. */
export type ActivityCursor = readonly [version: number, at: number, id: string]
export const activityStart: ActivityCursor = [0, 0, '']

/**
 * Merges one page of both, newest first. `entries` should be one more than the page holds, where there are so many;
 * `next` is absent at the end.
 */
export function mergeActivity(
  { data: changes, last }: ActivityPage,
  entries: readonly AuditEntry[],
  limit: number,
  cursor: ActivityCursor,
): { readonly data: Activity[]; readonly next?: ActivityCursor } {
  const data: Activity[] = []
  let [version, at, id] = cursor
  let [change, entry] = [0, 0]
  while (data.length < limit && (change < changes.length || entry < entries.length)) {
    const [nextChange, nextEntry] = [changes[change], entries[entry]]
    if (nextChange && (!nextEntry || nextChange.at > nextEntry.at)) {
      data.push(nextChange)
      version = nextChange.version
      change++
    } else {
      const { id: entryId, actor: by, agentId: _agent, ...fields } = nextEntry!
      data.push({ ...fields, by })
      at = Date.parse(fields.at)
      id = entryId
      entry++
    }
  }
  const isMore = change < changes.length || entry < entries.length || last !== undefined
  return { data, ...(isMore && { next: [version, at, id] as const }) }
}
