/** System routes for operators of the installation: list shards, and move one to another node. */
import Type, { type Static } from 'typebox'
import { isRefusal, refuse } from '../../core/errors.js'
import { pathIdPattern } from '../../core/ids.js'
import { json, type Route, route } from '../http/route.js'
import type { Log } from '../observe/log.js'
import type { ClusterNode, Engine } from '../shard/contract.js'

const closed = { additionalProperties: false } as const

const Shard = Type.Object(
  {
    shard: Type.Integer(),
    owner: Type.Optional(Type.String({ description: 'The node that owns it; absent while it has no owner.' })),
    epoch: Type.Integer({ description: 'Counts changes of owner.' }),
    last: Type.Integer({ description: 'The last entry of its log.' }),
    copies: Type.Object(
      {},
      { additionalProperties: Type.Integer(), description: 'By node: the last entry that its copy has.' },
    ),
    pinned: Type.Optional(Type.String({ description: 'The node it was moved to by hand.' })),
  },
  { ...closed, title: 'Shard' },
)
export const Node = Type.Object(
  {
    id: Type.String(),
    host: Type.Optional(Type.String()),
    address: Type.Optional(
      Type.String({ description: 'Host and port of its management API; absent where the port is drawn at the start.' }),
    ),
    roles: Type.Array(Type.String()),
    keepsShards: Type.Boolean({ description: 'Whether it can own shards just now.' }),
    leaving: Type.Boolean({ description: 'It hands over what it owns, to stop.' }),
  },
  { ...closed, title: 'Node' },
)
const ShardList = Type.Object({ data: Type.Array(Shard), nodes: Type.Array(Node) }, closed)
const ShardMove = Type.Object(
  {
    node: Type.Union([Type.String({ minLength: 1 }), Type.Null()], {
      description: 'Null: wherever it goes by itself.',
    }),
  },
  closed,
)
const ShardParams = Type.Object({
  shard: Type.String({ pattern: pathIdPattern, description: 'Number of the shard, from 0.' }),
})

/** The answer of `GET /v1/system/shards`, for Parley's own clients. */
export type ShardList = Static<typeof ShardList>
export type ShardRow = Static<typeof Shard>

export interface SystemRoutesOptions {
  readonly engine: Pick<Engine, 'inspect' | 'status' | 'move'>
  /** The number of shards. */
  readonly shards: number
  readonly log: Log
}

export function systemRoutes({ engine, shards, log }: SystemRoutesOptions): Route[] {
  const common = { plane: 'mgmt', tag: 'System', access: { who: 'sysop' } } as const
  return [
    route({
      ...common,
      method: 'GET',
      path: '/system/shards',
      summary: 'Who owns which shard, how far its copies are, and who is there',
      reply: { 200: ShardList },
      async handler() {
        return json(200, { data: await engine.status(), nodes: engine.inspect().nodes.map(nodeView) })
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/system/shards/{shard}/node',
      params: ShardParams,
      summary: 'Want a shard on that node from now on; it goes there once the owner has handed over',
      body: ShardMove,
      reply: { 200: Shard },
      errors: ['resource.not_found', 'service.unavailable'],
      async handler({ params, body: { node }, caller, requestId }) {
        const shard = parseShard(params.shard, shards)
        if (shard === undefined) return refuse('resource.not_found', { detail: `There is no shard ${params.shard}.` })
        const refusal = await engine.move(shard, node ?? undefined)
        if (isRefusal(refusal)) return refusal
        log.info('system.shard.moved', { shard, node, by: caller.id, requestId })
        const { pinned: _before, ...status } = (await engine.status())[shard]!
        // The new setting may reach this process later than the answer.
        return json(200, node === null ? status : { ...status, pinned: node })
      },
    }),
  ]
}

function parseShard(text: string, shards: number): number | undefined {
  const number = /^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : shards
  return number < shards ? number : undefined
}

export function nodeView({
  id,
  keepsShards,
  leaving,
  info: { host, address, roles = '' },
}: ClusterNode): Static<typeof Node> {
  return { id, host, ...(address && { address }), roles: roles.split(' ').filter(Boolean), keepsShards, leaving }
}
