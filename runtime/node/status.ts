/** The status of a node for operators: version, health, owned shards, and queued work. */
import Type, { type Static } from 'typebox'
import type { Clock } from '../clock.js'
import { version } from '../config/version.js'
import { json, type Route, route } from '../http/route.js'
import type { Health } from '../observe/health.js'
import type { Engine } from '../shard/contract.js'
import { Ready } from './operations.js'
import { Node, nodeView } from './system.js'

const closed = { additionalProperties: false } as const
const count = (description: string) => Type.Integer({ minimum: 0, description })

const Status = Type.Object(
  {
    version: Type.String(),
    now: Type.String({ format: 'date-time' }),
    upSeconds: count('Since the process began.'),
    ready: Ready,
    nodes: Type.Array(Node),
    shards: Type.Object(
      {
        total: count('Of the installation.'),
        owned: count('By this node.'),
        copied: count('Copies of others’ shards on this node.'),
        behindEntries: count('That those copies lack of their logs.'),
      },
      closed,
    ),
    waiting: Type.Object(
      {
        commands: count('In the mailboxes of the shards of this node.'),
        oldestEffectSeconds: Type.Optional(count('Age of the oldest effect that is not done; absent when all are.')),
      },
      closed,
    ),
  },
  { ...closed, title: 'Status' },
)
/** The answer of `GET /v1/system/status`, for Parley's own clients. */
export type Status = Static<typeof Status>

export interface StatusOptions {
  readonly engine: Pick<Engine, 'inspect'>
  readonly health: Pick<Health, 'ready'>
  readonly shards: number
  readonly clock: Pick<Clock, 'now'>
}

export function statusRoute({ engine, health, shards, clock }: StatusOptions): Route {
  return route({
    plane: 'mgmt',
    tag: 'System',
    access: { who: 'sysop' },
    method: 'GET',
    path: '/system/status',
    summary: 'How this node is: health, version, shards, and what waits',
    reply: { 200: Status },
    handler() {
      const { nodes, shards: shardStates } = engine.inspect()
      const { status, checks } = health.ready()
      const owned = shardStates.filter(({ role }) => role === 'owner')
      const copied = shardStates.filter(({ role }) => role === 'copy')
      const oldestPendingAt = Math.min(
        ...owned.map(({ oldestPendingAt: pendingSince }) => pendingSince ?? Number.POSITIVE_INFINITY),
      )
      const oldest = Number.isFinite(oldestPendingAt) && Math.max(0, Math.floor((clock.now() - oldestPendingAt) / 1000))
      const view: Status = {
        version,
        now: new Date(clock.now()).toISOString(),
        upSeconds: Math.floor(process.uptime()),
        ready: { status, checks: [...checks] },
        nodes: nodes.map(nodeView),
        shards: {
          total: shards,
          owned: owned.length,
          copied: copied.length,
          behindEntries: copied.reduce((sum, { lagEntries }) => sum + lagEntries, 0),
        },
        waiting: {
          commands: owned.reduce((sum, { waiting }) => sum + waiting, 0),
          ...(oldest !== false && { oldestEffectSeconds: oldest }),
        },
      }
      return json(200, view)
    },
  })
}
