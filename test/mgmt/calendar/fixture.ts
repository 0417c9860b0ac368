/** Calendar ports of further processes of a node, over the real HTTP client and worker threads. */
import type { Test } from 'tap'
import { emptyDocument } from '../../../core/agent/index.js'
import type { CalendarRequest } from '../../../core/calendar/exchange.js'
import type { Interval } from '../../../core/interval.js'
import { calendar as limits } from '../../../core/limits/index.js'
import type { ToolContext } from '../../../core/tools/contract.js'
import type { ReadBusyTimes } from '../../../mgmt/calendar/busy.js'
import { type Calendar, createCalendar } from '../../../mgmt/calendar/index.js'
import { createConnectionQueries } from '../../../mgmt/connections/queries.js'
import type { AccessTokens } from '../../../mgmt/connections/tokens.js'
import { type CalendarClient, type CalendarClientLimits, openCalendarClient } from '../../../runtime/calendar/client.js'
import { createCalendarReader } from '../../../runtime/calendar/reader.js'
import { createLog } from '../../../runtime/observe/log.js'
import { loadOrCreateSecretKey } from '../../../runtime/secrets/rootkey.js'
import { createSealer } from '../../../runtime/secrets/sealer.js'
import { openWorkers } from '../../../runtime/worker/pool.js'
import type { Response, TestNode } from '../../harness/node.js'
import { createAgentStub } from '../agentstub.js'

export const agent = { orgId: 'demo', agentId: 'nova' }

export interface CalendarPort extends Calendar {
  /** Requests to the calendar's server, oldest first. */
  readonly requests: CalendarRequest[]
  /** What the agent's log says, newest first. */
  log(): Promise<readonly { readonly event: string; readonly data: Readonly<Record<string, string>> }[]>
  /** Calls the tool as a turn does that still has its shard. */
  callTool(given: object, id: string, context?: ToolContext): ReturnType<Calendar['call']>
  /** Sets the calendar tool of the agent up with this config. */
  bind(config: object): Promise<Response>
}

export interface PortOptions {
  readonly tokens?: AccessTokens
  readonly limits?: Partial<CalendarClientLimits>
  /** Default true, as the server of a test is on this machine. */
  readonly allowPrivate?: boolean
}

/** The node has the agent. Each port has a cache of its own. */
export function portOpener(t: Test, node: TestNode): (options?: PortOptions) => CalendarPort {
  const { log } = createLog({ destination: { write: () => {} }, now: node.clock.now })
  const workers = openWorkers(log)
  t.teardown(workers.close)
  return (options = {}) => {
    const { allowPrivate = true } = options
    const client = openCalendarClient({ allowPrivate, limits: { ...limits, ...options.limits } })
    t.teardown(client.close)
    return openPort(node, { ...options, client, readBusyTimes: createCalendarReader(workers) })
  }
}

interface PortParts extends PortOptions {
  readonly client: CalendarClient
  readonly readBusyTimes: ReadBusyTimes
}

function openPort(node: TestNode, { tokens, client, readBusyTimes }: PortParts): CalendarPort {
  const { documents } = createAgentStub(() => emptyDocument)
  const requests: CalendarRequest[] = []
  const none: AccessTokens = {
    accessToken: () => Promise.reject(new Error('no sign-in')),
    use: () => Promise.reject(new Error('no sign-in')),
  }
  // Commands and queries run in the node by their names.
  const { connect } = createCalendar({
    agents: { documents },
    connections: { tokens: () => tokens ?? none, queries: createConnectionQueries(documents) },
    callCalendar(request) {
      requests.push(request)
      return client.call(request)
    },
    readBusyTimes,
    log: () => {},
    clock: node.clock,
  })
  const { key } = loadOrCreateSecretKey(node.dir, undefined)
  const path = `/v1/orgs/${agent.orgId}/agents/${agent.agentId}`
  const call = (method: string, below: string, json?: unknown) =>
    node.mgmt(method, path + below, { token: node.key, ...(json !== undefined && { json }) })
  const calendar = connect({ shards: node.node.engine, sealer: createSealer(key, node.node.engine) })
  const attempt = { signal: new AbortController().signal, isStillOwner: () => true, isRepeat: false }
  return {
    ...calendar,
    requests,
    callTool: (given, id, context = toolContext) => calendar.call(context, { ...given }, { ...attempt, id }),
    log: async () => (await call('GET', '/logs')).json.data,
    async bind(config) {
      const bound = await call('PUT', '/tool-bindings/%40svc%2Ftool.calendar', { config })
      if (bound.status >= 300) throw new Error(bound.text)
      return bound
    },
  }
}

export const toolContext: ToolContext = {
  agent,
  asid: 'asid_1',
  channel: 'sms',
  address: '+4915112345678',
  sessionId: 'session_1',
  turnId: 'turn_1',
  zone: 'America/New_York',
}

/** Intervals as texts, to compare and to read. */
export function show(busy: readonly Interval[] | undefined): string[] | undefined {
  return busy?.map(({ from, to }) => [from, to].map((at) => new Date(at).toISOString().slice(0, 16)).join(' '))
}
