/** The trail of an agent: every change of its configuration, by whom, through which route, and what it touched. */
import Type, { type Static } from 'typebox'
import type { Actor } from '../../core/access.js'
import { closed, optional } from '../../core/agent/resources/words.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { refuse } from '../../core/errors.js'
import { agentDocument as limits } from '../../core/limits.js'
import type { Query, Tx } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import { PageQuery, pagesOf } from './schema.js'
import { findAgent } from './store.js'

export interface Deed {
  /** The version of the agent that it made; no two deeds of an agent share one. */
  readonly version: number
  readonly at: number
  /** Method and path below the agent, as in `PUT /personality`. */
  readonly action: string
  readonly changed: readonly string[]
  readonly item?: string
  readonly by?: Actor
}

const deedTable = table<[orgId: string, agentId: string, version: number], Deed>('agents.activity')

/** Keeps the newest; the oldest makes room. */
export function record(tx: Tx, { orgId, agentId }: AgentPlace, deed: Deed): void {
  tx.put(deedTable, [orgId, agentId, deed.version], deed)
  const oldest = deed.version - limits.deedsKept
  if (oldest > 0) tx.remove(deedTable, [orgId, agentId, oldest])
}

export function forgetDeeds(tx: Tx, { orgId, agentId }: AgentPlace): void {
  for (const { key } of [...tx.range(deedTable, { prefix: [orgId, agentId] })]) tx.remove(deedTable, key)
}

const Activity = closed('AgentActivity', {
  version: Type.Integer({ description: 'The version of the agent that this change made.' }),
  at: Type.String({ format: 'date-time' }),
  action: Type.String({ description: 'Method and path below the agent, as in `PUT /personality`.' }),
  changed: Type.Array(Type.String(), { description: 'The parts that are different now.' }),
  item: optional(Type.String({ description: 'Id of the one item that it was about.' })),
  by: optional(
    closed('Actor', {
      kind: Type.String(),
      id: Type.String({ description: 'Of the API key or the user.' }),
      keyId: optional(Type.String({ description: 'The key that a session was made with.' })),
      svcAgent: optional(Type.String({ description: 'The automated caller, as X-Svc-Agent named it.' })),
    }),
  ),
})
export type Activity = Static<typeof Activity>

export const ActivityList = pagesOf(Activity, 'AgentActivityList')
export const ActivityQuery = PageQuery

interface WantedDeeds extends AgentPlace {
  readonly before?: number
  readonly limit: number
}

/** Newest first; `last` is where the next page goes on, absent at the end. */
export const activity: Query<WantedDeeds, { readonly data: Activity[]; readonly last?: number }> = {
  name: 'agents.activity',
  read(reader, { orgId, agentId, before, limit }) {
    if (!findAgent(reader, { orgId, agentId })) return refuse('resource.not_found')
    const after = before === undefined ? undefined : [orgId, agentId, before]
    const rows = reader.range(deedTable, { prefix: [orgId, agentId], after, reverse: true, limit: limit + 1 })
    const found = Array.from(rows, ({ value }) => ({ ...value, at: new Date(value.at).toISOString() })) as Activity[]
    const data = found.slice(0, limit)
    return found.length > limit ? { data, last: data.at(-1)!.version } : { data }
  },
}
