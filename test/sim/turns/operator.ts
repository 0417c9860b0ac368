/**
 * The agent and its operator: what the document, the webhook and the agent itself are, and how processes look them up.
 */
import type { AgentDocument } from '../../../core/agent/index.js'
import type { AgentRouting } from '../../../core/agent/routing.js'
import { type AgentRef, formatAgentKey } from '../../../core/agentref.js'
import type { ChannelName } from '../../../core/channelnames.js'
import type { AgentContext } from '../../../core/conversation/context.js'
import { refuse } from '../../../core/errors.js'
import type { AgentContexts, Directory } from '../../../runtime/conversation/context.js'
import { contextOn } from '../../harness/agentcontext.js'
import type { Incarnation } from '../world/life.js'
import type { Rng } from '../world/rng.js'
import type { Timeline } from '../world/timeline.js'
import { drawDocument } from './documents.js'
import type { TurnPlan } from './plan.js'

export const agent: AgentRef = { orgId: 'acme', agentId: 'desk' }
export const agentKey = formatAgentKey(agent)

/** What the configuration is from some moment on; without routing the agent does not exist. */
interface Version {
  readonly at: number
  readonly routing?: AgentRouting
  readonly document: AgentDocument
}

export interface Operator {
  readonly current: () => Version
  changeDocument(): void
  setWebhook(): void
  removeWebhook(): void
  deleteAgent(): void
  isDeleted(): boolean
  /** Puts the configuration out of reach, or back. */
  setAway(isAway: boolean): void
  /** Whether a lookup that is made now finds the configuration out of reach. */
  isRefused(rng: Rng): boolean
  /** Nothing is refused any more, and all processes see the current version. */
  settle(): void
  /** The directory of a process, which learns of a change a while later. */
  directoryOf(incarnation: Incarnation, rng: Rng): Directory
}

const lagMs = [0, 400] as const
const lookupMs = [0.1, 20] as const

export interface OperatorOptions {
  readonly timeline: Timeline
  readonly rng: Rng
  readonly note: (line: string) => void
  readonly plan: Pick<TurnPlan['turns'], 'refusedLookups' | 'idempotent'>
}

export function openOperator({ timeline, rng, note, plan }: OperatorOptions): Operator {
  const { refusedLookups, idempotent } = plan
  const newDocument = () => drawDocument(rng, idempotent)
  const versions: Version[] = [{ at: Number.NEGATIVE_INFINITY, routing: managed(), document: newDocument() }]
  let isAway = false
  let isSettled = false

  const current = () => versions.at(-1)!
  function put(what: string, change: Partial<Version>): void {
    if (!current().routing) return
    note(`the operator ${what}`)
    versions.push({ ...current(), ...change, at: timeline.now() })
  }

  function seen(lag: number): Version {
    return isSettled ? current() : versions.findLast(({ at }) => at <= timeline.now() - lag)!
  }

  function isRefused(own: Rng): boolean {
    return !isSettled && (isAway || own.chance(refusedLookups))
  }

  return {
    current,
    changeDocument: () => put('changes the document', { document: newDocument(), routing: { ...current().routing! } }),
    setWebhook: () => put('sets a webhook', { routing: { ...managed(), ...webhook } }),
    removeWebhook: () => put('removes the webhook', { routing: managed() }),
    deleteAgent: () => put('deletes the agent', { routing: undefined }),
    isDeleted: () => current().routing === undefined,
    setAway(away) {
      note(away ? 'the configuration is out of reach' : 'the configuration is back')
      isAway = away
    },
    isRefused,
    settle() {
      isSettled = true
    },
    directoryOf(incarnation, own) {
      const lag = own.between(...lagMs)
      const answer = () => seen(lag).routing ?? refuse('resource.not_found')
      return {
        get() {
          const isAway = isRefused(own)
          const known = seen(lag).routing
          if (!isAway && known && own.chance(0.7)) return known
          return incarnation.outside(({ resolve }) => {
            timeline.after(own.between(...lookupMs), () => resolve(isAway ? refuse('service.unavailable') : answer()))
          })
        },
      }
    },
  }
}

const webhook = {
  mode: 'webhook',
  webhook: { webhookUrl: 'https://agent.example.com/hook', instanceId: 'i1' },
} as const

function managed(): AgentRouting {
  return {
    ...agent,
    name: 'Desk',
    mode: 'managed',
    speaks: true,
    signingSecret: { kind: 'signing', id: 'desk', sealed: new Uint8Array() },
    identity: {},
    channels: [],
    notReady: [],
  }
}

/** The contexts of conversations on channels that are always bound. */
export const contexts: AgentContexts = {
  of: ({ webhook }, { channel }) => contextOf(channel, webhook === undefined),
  orphan: (channel) => contextOn(channel),
}

export function contextOf(channel: ChannelName, isManaged: boolean): AgentContext {
  return contextOn(channel, {
    provider: 'simulated',
    receivesEvents: true,
    ...(isManaged && { isManaged }),
    binding: { isActive: true, minDelayMs: 0 },
  })
}
