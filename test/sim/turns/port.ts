/** The port of turns in a simulated process: documents of the operator, and calls to the simulated tools. */
import { isRefusal, type Refusal, refuse } from '../../../core/errors.js'
import { integrationPrefix } from '../../../core/tools/builtin.js'
import { createCalls } from '../../../mgmt/tools/calls.js'
import type { CallSetup, SetupRequest } from '../../../mgmt/tools/setup.js'
import type { Clock } from '../../../runtime/clock.js'
import type { Query, Shards } from '../../../runtime/shard/contract.js'
import type { TurnPort } from '../../../runtime/turn/port.js'
import type { Incarnation } from '../world/life.js'
import type { Rng } from '../world/rng.js'
import type { Timeline } from '../world/timeline.js'
import { agentKey, type Operator } from './operator.js'
import { doInside, type OutsideTools } from './tools.js'

export interface PortOptions {
  readonly incarnation: Incarnation
  readonly clock: Clock
  readonly rng: Rng
  readonly seed: number
  readonly timeline: Timeline
  readonly shards: Shards
  readonly operator: Operator
  readonly tools: OutsideTools
  /** Ends the process now and then, around the call of a tool. */
  readonly perhapsCrash: () => void
}

const loadMs = [0.1, 30] as const

export function createPort(options: PortOptions): TurnPort {
  const { incarnation, clock, rng, seed, timeline, shards, operator, tools, perhapsCrash } = options

  /** An answer of the agent's shard, which may be on another node. */
  function fromShard<T>(answer: () => T | Refusal): Promise<T | Refusal> {
    return incarnation.outside(({ resolve }) => {
      timeline.after(rng.between(...loadMs), () => resolve(operator.isRefused(rng) ? unavailable : answer()))
    })
  }

  function setupOf({ name }: SetupRequest): CallSetup | Refusal {
    const { routing, document } = operator.current()
    const item = name.slice(integrationPrefix.length)
    const integration = document.integrations.find(({ id }) => id === item)
    if (!routing || !integration) return refuse('tool.not_found', { detail: `There is no integration ${item}.` })
    const sealed = { section: 'integrations', item, byName: {} } as const
    return { kind: 'integration', integration, agentName: routing.name, sealed }
  }

  const callOutside = createCalls({
    shards: { query: (_owner, _query, input) => fromShard(() => setupOf(input as SetupRequest)) as never },
    sealer: { open: () => Promise.reject(new Error('there is no secret')) },
    setup: {} as Query<SetupRequest, CallSetup>,
    egress: {
      call: (request) => tools.call(incarnation, request),
      sendBySmtp: () => Promise.reject(new Error('there is no mail')),
      sign: () => ({}),
    },
    tokens: { use: () => Promise.reject(new Error('there is no account')) },
    mgmtUrl: () => 'https://parley.example.com',
    calendar: () => undefined,
    clock,
    timeScale: 1,
  })

  return {
    load: ({ knownDigest }) =>
      fromShard(() => {
        const { at, routing, document } = operator.current()
        if (!routing) return refuse('resource.not_found')
        const digest = `d${at}`
        return {
          agent: { name: routing.name, updatedAt: 0 },
          digest,
          ...(digest !== knownDigest && { document }),
          appointments: [],
          unavailableTools: {},
        }
      }),
    read: () => fromShard(() => ({ state: 'ok', result: {} })),
    async execute(_context, _call, id) {
      if (operator.isRefused(rng)) return unavailable
      perhapsCrash()
      const answer = await shards.execute(agentKey, doInside, { owner: agentKey, id, seed }, { id })
      perhapsCrash()
      return isRefusal(answer) ? unavailable : { outcome: answer }
    },
    async call(context, call, attempt) {
      perhapsCrash()
      const outcome = await callOutside(context, call, attempt)
      perhapsCrash()
      return outcome
    },
  }
}

const unavailable = refuse('service.unavailable')
