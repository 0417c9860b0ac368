/**
 * Sends and automation over a shard of their own, with real people, a document that a test writes, and conversations
 * that it scripts.
 */

import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { type AgentDocument, emptyDocument } from '../../../core/agent/index.js'
import { formatAgentKey } from '../../../core/agentref.js'
import type { DeliveryReport } from '../../../core/conversation/deliveryreport.js'
import { isRefusal, type Refusal, refuse } from '../../../core/errors.js'
import type { OrgEventPayload } from '../../../core/orgevents.js'
import type {
  OpenRequest as Opening,
  OpenResponse as OpeningAnswer,
  Reachability,
} from '../../../core/outreach/port.js'
import type { SendRequest } from '../../../core/outreach/request.js'
import type { OutreachSend } from '../../../core/outreach/view.js'
import type { Person } from '../../../core/people/person.js'
import type { EffectDeps, Module } from '../../../mgmt/area.js'
import { type Automation, createAutomation } from '../../../mgmt/automation/index.js'
import type { OutreachConversations } from '../../../mgmt/outreach/conversations.js'
import { createOutreach, type Outreach } from '../../../mgmt/outreach/index.js'
import { createPeople, type People } from '../../../mgmt/people/index.js'
import type { Personas } from '../../../mgmt/sandbox/commands.js'
import type { Clock } from '../../../runtime/clock.js'
import { sendBudgets } from '../../../runtime/delivery/throttle.js'
import { createMetrics, type Metrics } from '../../../runtime/observe/metrics.js'
import type { Command, EffectHandler, Handlers } from '../../../runtime/shard/contract.js'
import { shardOf } from '../../../runtime/shard/placement.js'
import { type EngineFixture, eventually, fixtureShards } from '../../contract/shards/fixture.js'
import { openEmbeddedFixture } from '../../harness/engines.js'
import { type AgentStub, agentOf, createAgentStub, putAgent } from '../agentstub.js'

export const agentRef = { orgId: 'org', agentId: 'desk' }
export const owner = formatAgentKey(agentRef)

export const outreach = {
  id: 'hello',
  name: 'Hello',
  class: 'service' as const,
  openerTemplateId: 'hi',
  playbookId: 'hello',
  inputs: [],
  enabled: true,
}

/** What becomes of one opening: the answer, and later delivery reports. */
export interface Script {
  readonly answer?: OpeningAnswer | Refusal
  /** The conversation accepts it, whatever it answers. */
  readonly isTaken?: boolean
  readonly deliveryReports?: readonly Pick<DeliveryReport, 'state' | 'reason' | 'retry'>[]
  /** The delivery reports wait until `reportLate` is called. */
  readonly isLate?: boolean
}

export const isSent: Script = { deliveryReports: [{ state: 'sent' }] }

export interface SendsFixture {
  fixture: EngineFixture
  readonly agents: AgentStub
  readonly parts: Outreach
  readonly people: People
  readonly automation: Automation
  readonly events: OrgEventPayload[]
  /** Everything that conversations took, in order. */
  readonly acceptedOpenings: Opening[]
  /** Sends whose opening reached the channel, as often as it did. */
  readonly sentIds: string[]
  reportLate(): Promise<unknown>
  readonly optedOut: Set<string>
  /** When the person with that identity last wrote. */
  readonly inboundTimes: Map<string, number>
  readonly conversations: OutreachConversations
  /** What the next openings come to; afterwards they are sent. */
  readonly scripts: Script[]
  readonly probes: Reachability[]
  readonly probed: string[]
  document: AgentDocument
  create(request: Partial<SendRequest>, how?: object): Promise<Record<string, unknown>>
  read(sendId: string): Promise<OutreachSend>
  cancel(sendId: string): Promise<OutreachSend | Refusal>
  report(deliveryReport: DeliveryReport): Promise<unknown>
  person(personId: string): Person | undefined
  waitForState(sendId: string, state: string, passMs?: number): Promise<OutreachSend>
  /** Lets time pass until it waits for another attempt. */
  waitForRetry(sendId: string): Promise<OutreachSend>
  /** Every row of the agent's shard as bytes, but for what the engine notes for itself. */
  rows(): string[]
  /** Ends the process at once and goes on with its data. */
  crash(): Promise<void>
}

/** A later area over the same shard, created over those that are there. */
export type ExtraArea = (before: {
  readonly agents: AgentStub
  readonly people: People
  readonly outreach: Outreach
  readonly automation: Automation
  readonly clock: Clock
}) => { readonly module: Module; effectHandlers(engine: EffectDeps): Readonly<Record<string, EffectHandler>> }

export interface SendsOptions {
  readonly personas?: Pick<Personas, 'personOf'>
  readonly metrics?: Metrics
}

export async function openSendsFixture(
  t: Test,
  { personas = { personOf: () => undefined }, metrics = createMetrics() }: SendsOptions = {},
  more: readonly Command<never, unknown>[] = [],
  extraArea?: ExtraArea,
): Promise<SendsFixture> {
  const events: OrgEventPayload[] = []
  const orgEvent: Command<OrgEventPayload, true> = {
    name: 'test.orgEvent',
    decide(_tx, payload) {
      events.push(payload)
      return true
    },
  }
  const agents = createAgentStub(() => sends.document)
  const [acceptedOpenings, scripts, probes, probed]: [Opening[], Script[], Reachability[], string[]] = [[], [], [], []]
  const [sentIds, lateReports]: [string[], DeliveryReport[]] = [[], []]
  const optedOut = new Set<string>()
  const inboundTimes = new Map<string, number>()
  const acceptedAttempts = new Map<string, number>()

  const conversations: OutreachConversations = {
    asidOf: (_agentRef, channel, address) => `usr_${channel}_${address}`,
    consentOf: async (asid) => ({ isOptedOut: optedOut.has(asid), lastInboundAt: inboundTimes.get(asid) }),
    async probe(_agentRef, _channel, address) {
      probed.push(address)
      return probes.shift() ?? 'capable'
    },
    async open(opening) {
      const { sendId, attempt, asid } = opening
      const messageId = `msg_${sendId}`
      if ((acceptedAttempts.get(sendId) ?? 0) >= attempt) return { messageId }
      if (optedOut.has(asid)) return { reason: 'optedOut', retry: 'never' }
      const talkingUntil = (inboundTimes.get(asid) ?? -Infinity) + (opening.quietMs ?? 0)
      if (talkingUntil > sends.fixture.time.now()) return { inConversationUntil: talkingUntil }
      const script = scripts.shift() ?? isSent
      const { answer, isTaken = !answer || 'messageId' in answer, deliveryReports: news = [], isLate } = script
      if (isTaken) {
        acceptedAttempts.set(sendId, attempt)
        acceptedOpenings.push(opening)
        if (news.some(({ state }) => state === 'sent')) sentIds.push(sendId)
        const reports = news.map((each) => ({ sendId, attempt, messageId, at: sends.fixture.time.now(), ...each }))
        if (isLate) lateReports.push(...reports)
        else for (const each of reports) void report(each)
      }
      return answer ?? { messageId }
    },
  }

  const clock: Clock = {
    now: () => sends.fixture.clock.now(),
    monotonic: () => sends.fixture.clock.monotonic(),
    setTimer: (at, call) => sends.fixture.clock.setTimer(at, call),
    nextTick: (call) => sends.fixture.clock.nextTick(call),
  }
  const deps = { orgEvent, agents, conversations, metrics, clock, timeScale: 1 }
  const people = createPeople({ ...deps, randomBytes })
  const parts = createOutreach({
    ...deps,
    people,
    personas,
    channels: { throughputOf: () => [], drawTimes: sendBudgets.draw },
  })
  const automation = createAutomation({ ...deps, people, outreach: parts })
  const other = extraArea?.({ agents, people, outreach: parts, automation, clock })

  /** Reports at least once: after a crash before the answer the next process gets it, and after the last none does. */
  async function report(deliveryReport: DeliveryReport): Promise<unknown> {
    while (!isEnded && (isCrashing || !sends.fixture.isEnded())) {
      const { fixture } = sends
      const answer = fixture.isEnded()
        ? unavailable
        : await Promise.race([
            fixture.shards
              .execute(owner, parts.commands.deliveryReport, { ...agentRef, ...deliveryReport })
              .catch(() => unavailable),
            died,
          ])
      if (!isRefusal(answer) && !fixture.isEnded()) return answer
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const unavailable = refuse('service.unavailable')
  let resolveDied = (_refusal: Refusal): void => {}
  const newLife = () =>
    new Promise<Refusal>((resolve) => {
      resolveDied = resolve
    })
  let died = newLife()
  let isCrashing = false
  let isEnded = false
  t.teardown(() => {
    isEnded = true
  })

  const all = [people, parts, automation, ...(other ? [other] : [])]
  const repertoire: Handlers = {
    commands: [...all.flatMap(({ module }) => module.commands), orgEvent, putAgent, ...more],
    queries: all.flatMap(({ module }) => module.queries),
    effectHandlers(shards) {
      const engine = { shards, sealer: undefined as never }
      return { ...parts.effectHandlers(engine), ...automation.effectHandlers(engine), ...other?.effectHandlers(engine) }
    },
  }

  const sends: SendsFixture = {
    fixture: undefined as unknown as EngineFixture,
    agents,
    parts,
    people,
    automation,
    events,
    acceptedOpenings,
    sentIds,
    reportLate: () => Promise.all(lateReports.splice(0).map(report)),
    optedOut,
    inboundTimes,
    conversations,
    scripts,
    probes,
    probed,
    document: {
      ...emptyDocument,
      messageTemplates: [{ id: 'hi', name: 'Hi', body: 'Hello {person.firstName|there}!' }],
      outreach: [outreach],
    },
    async create(request, how = {}) {
      const whole = { outreachId: 'hello', recipient: { kind: 'address', channel: 'rcs', address: '' }, ...request }
      return (await parts.sends(sends.fixture.shards).create(agentRef, whole as SendRequest, undefined, how)) as never
    },
    async read(sendId) {
      const query = { ...agentRef, sendId, seesAddress: true }
      return (await sends.fixture.shards.query(owner, parts.queries.one, query)) as OutreachSend
    },
    cancel: (sendId) =>
      sends.fixture.shards.execute(owner, parts.commands.cancel, { ...agentRef, sendId, seesAddress: false }),
    report,
    person: (personId) => people.byId(space(), agentRef, personId),
    async waitForState(sendId, state, passMs = 20_000) {
      await eventually(sends.fixture, async () => (await sends.read(sendId)).state === state, passMs)
      return sends.read(sendId)
    },
    async waitForRetry(sendId) {
      await eventually(sends.fixture, async () => (await sends.read(sendId)).nextAttemptAt !== undefined, 1_000)
      return sends.read(sendId)
    },
    rows: () =>
      space()
        .rows(undefined, 1e6)
        .map(({ key, value }) => `${key.toString('latin1')}=${value?.toString('latin1')}`)
        .filter((row) => /outreach|people|automation|scheduling/.test(row)),
    async crash() {
      isCrashing = true
      await sends.fixture.crash()
      resolveDied(unavailable)
      died = newLife()
      sends.fixture = await openEmbeddedFixture(t, { handlers: repertoire, after: sends.fixture })
      isCrashing = false
    },
  }
  const space = () => sends.fixture.store.space(shardOf(owner, fixtureShards))
  sends.fixture = await openEmbeddedFixture(t, { handlers: repertoire })
  await sends.fixture.shards.execute(owner, putAgent, agentOf(agentRef))
  return sends as SendsFixture & { fixture: EngineFixture }
}

let lastNumber = 0
export const newNumber = (): string => `+1415555${String(1000 + lastNumber++).slice(-4)}`
export const toNumber = (address = newNumber()) => ({
  recipient: { kind: 'address' as const, channel: 'rcs', address },
})
