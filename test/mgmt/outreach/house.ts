/** Sends and automation over a shard of their own, with real people, a document that a test writes, and conversations that it scripts. */

import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { type AgentDocument, emptyDocument } from '../../../core/agent/index.js'
import { agentKeyOf } from '../../../core/agentkey.js'
import type { SendNews } from '../../../core/conversation/sendnews.js'
import { isRefusal, type Refusal, refuse } from '../../../core/errors.js'
import type { OrgEventPayload } from '../../../core/orgevents.js'
import type { OpeningFor as Opening, OpeningResult as OpeningAnswer, Probed } from '../../../core/outreach/contact.js'
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
import { type Metrics, openMetrics } from '../../../runtime/observe/metrics.js'
import type { Command, Performer, Repertoire } from '../../../runtime/shard/contract.js'
import { shardOf } from '../../../runtime/shard/place.js'
import { eventually, type House, houseShards } from '../../contract/shards/house.js'
import { openEmbeddedHouse } from '../../harness/engines.js'
import { type AgentsBefore, agentOf, agentsBefore, putAgent } from '../areas.js'

export const place = { orgId: 'org', agentId: 'desk' }
export const owner = agentKeyOf(place)

export const outreach = {
  id: 'hello',
  name: 'Hello',
  class: 'service' as const,
  openerTemplateId: 'hi',
  playbookId: 'hello',
  inputs: [],
  enabled: true,
}

/** What becomes of one opening: the answer, and what is told later. */
export interface Script {
  readonly answer?: OpeningAnswer | Refusal
  /** The conversation takes it, whatever it answers. */
  readonly isTaken?: boolean
  readonly news?: readonly Pick<SendNews, 'state' | 'reason' | 'again'>[]
  /** The news wait until `tellLate` is called. */
  readonly isLate?: boolean
}

export const isSent: Script = { news: [{ state: 'sent' }] }

export interface Sends {
  house: House
  readonly agents: AgentsBefore
  readonly parts: Outreach
  readonly people: People
  readonly automation: Automation
  readonly events: OrgEventPayload[]
  /** Everything that conversations took, in order. */
  readonly taken: Opening[]
  /** Sends whose opening reached the channel, as often as it did. */
  readonly out: string[]
  tellLate(): Promise<unknown>
  readonly optedOut: Set<string>
  /** When whoever has that identity last wrote. */
  readonly heardAt: Map<string, number>
  readonly conversations: OutreachConversations
  /** What the next openings come to; afterwards they are sent. */
  readonly scripts: Script[]
  readonly probes: Probed[]
  readonly probed: string[]
  document: AgentDocument
  create(request: Partial<SendRequest>, how?: object): Promise<Record<string, unknown>>
  read(sendId: string): Promise<OutreachSend>
  cancel(sendId: string): Promise<OutreachSend | Refusal>
  tell(news: SendNews): Promise<unknown>
  person(personId: string): Person | undefined
  reaches(sendId: string, state: string, passMs?: number): Promise<OutreachSend>
  /** Lets time pass until it waits for another attempt. */
  retries(sendId: string): Promise<OutreachSend>
  /** Every row of the agent's shard as bytes, but for what the engine notes for itself. */
  rows(): string[]
  /** Ends the process at once and goes on with its data. */
  crash(): Promise<void>
}

/** A later area over the same shard, created over those that are there. */
export type Beside = (before: {
  readonly agents: AgentsBefore
  readonly people: People
  readonly outreach: Outreach
  readonly clock: Clock
}) => { readonly module: Module; performers(engine: EffectDeps): Readonly<Record<string, Performer>> }

export interface SendsOptions {
  readonly personas?: Pick<Personas, 'personOf'>
  readonly metrics?: Metrics
}

export async function openSends(
  t: Test,
  { personas = { personOf: () => undefined }, metrics = openMetrics() }: SendsOptions = {},
  more: readonly Command<never, unknown>[] = [],
  beside?: Beside,
): Promise<Sends> {
  const events: OrgEventPayload[] = []
  const orgEvent: Command<OrgEventPayload, true> = {
    name: 'test.orgEvent',
    decide(_tx, payload) {
      events.push(payload)
      return true
    },
  }
  const agents = agentsBefore(() => sends.document)
  const [taken, scripts, probes, probed]: [Opening[], Script[], Probed[], string[]] = [[], [], [], []]
  const [out, late]: [string[], SendNews[]] = [[], []]
  const optedOut = new Set<string>()
  const heardAt = new Map<string, number>()
  const known = new Map<string, number>()

  const conversations: OutreachConversations = {
    asidOf: (_place, channel, address) => `usr_${channel}_${address}`,
    standing: async (asid) => ({ isOptedOut: optedOut.has(asid), heardAt: heardAt.get(asid) }),
    async probe(_place, _channel, address) {
      probed.push(address)
      return probes.shift() ?? 'capable'
    },
    async open(opening) {
      const { sendId, attempt, asid } = opening
      const messageId = `msg_${sendId}`
      if ((known.get(sendId) ?? 0) >= attempt) return { messageId }
      if (optedOut.has(asid)) return { reason: 'optedOut', again: 'never' }
      const talkingUntil = (heardAt.get(asid) ?? -Infinity) + (opening.quietMs ?? 0)
      if (talkingUntil > sends.house.time.now()) return { talkingUntil }
      const script = scripts.shift() ?? isSent
      const { answer, isTaken = !answer || 'messageId' in answer, news = [], isLate } = script
      if (isTaken) {
        known.set(sendId, attempt)
        taken.push(opening)
        if (news.some(({ state }) => state === 'sent')) out.push(sendId)
        const told = news.map((each) => ({ sendId, attempt, messageId, at: sends.house.time.now(), ...each }))
        if (isLate) late.push(...told)
        else for (const each of told) void tell(each)
      }
      return answer ?? { messageId }
    },
  }

  const clock: Clock = {
    now: () => sends.house.clock.now(),
    elapsed: () => sends.house.clock.elapsed(),
    wake: (at, call) => sends.house.clock.wake(at, call),
    soon: (call) => sends.house.clock.soon(call),
  }
  const given = { orgEvent, agents, conversations, metrics, clock, timeScale: 1 }
  const people = createPeople({ ...given, randomBytes })
  const parts = createOutreach({
    ...given,
    people,
    personas,
    channels: { pacesOf: () => [], drawTimes: sendBudgets.take },
  })
  const automation = createAutomation({ ...given, people, outreach: parts })
  const other = beside?.({ agents, people, outreach: parts, clock })

  /** Told at least once: whoever dies before it has answered is not waited for, and nobody after the last of them. */
  async function tell(news: SendNews): Promise<unknown> {
    while (!isEnded && (isCrashing || !sends.house.isOver())) {
      const { house } = sends
      const answer = house.isOver()
        ? unavailable
        : await Promise.race([
            house.shards.ask(owner, parts.commands.news, { ...place, ...news }).catch(() => unavailable),
            died,
          ])
      if (!isRefusal(answer) && !house.isOver()) return answer
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const unavailable = refuse('service.unavailable')
  let over = (_gone: Refusal): void => {}
  const life = () =>
    new Promise<Refusal>((resolve) => {
      over = resolve
    })
  let died = life()
  let isCrashing = false
  let isEnded = false
  t.teardown(() => {
    isEnded = true
  })

  const all = [people, parts, automation, ...(other ? [other] : [])]
  const repertoire: Repertoire = {
    commands: [...all.flatMap(({ module }) => module.commands), orgEvent, putAgent, ...more],
    queries: all.flatMap(({ module }) => module.queries),
    performers(shards) {
      const engine = { shards, sealer: undefined as never }
      return { ...parts.performers(engine), ...automation.performers(engine), ...other?.performers(engine) }
    },
  }

  const sends: Sends = {
    house: undefined as unknown as House,
    agents,
    parts,
    people,
    automation,
    events,
    taken,
    out,
    tellLate: () => Promise.all(late.splice(0).map(tell)),
    optedOut,
    heardAt,
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
      return (await parts.sends(sends.house.shards).create(place, whole as SendRequest, undefined, how)) as never
    },
    async read(sendId) {
      const asked = { ...place, sendId, seesAddress: true }
      return (await sends.house.shards.read(owner, parts.queries.one, asked)) as OutreachSend
    },
    cancel: (sendId) => sends.house.shards.ask(owner, parts.commands.cancel, { ...place, sendId, seesAddress: false }),
    tell,
    person: (personId) => people.byId(space(), place, personId),
    async reaches(sendId, state, passMs = 20_000) {
      await eventually(sends.house, async () => (await sends.read(sendId)).state === state, passMs)
      return sends.read(sendId)
    },
    async retries(sendId) {
      await eventually(sends.house, async () => (await sends.read(sendId)).nextAttemptAt !== undefined, 1_000)
      return sends.read(sendId)
    },
    rows: () =>
      space()
        .rows(undefined, 1e6)
        .map(({ key, value }) => `${key.toString('latin1')}=${value?.toString('latin1')}`)
        .filter((row) => /outreach|people|automation/.test(row)),
    async crash() {
      isCrashing = true
      await sends.house.die()
      over(unavailable)
      died = life()
      sends.house = await openEmbeddedHouse(t, { repertoire, after: sends.house })
      isCrashing = false
    },
  }
  const space = () => sends.house.store.space(shardOf(owner, houseShards))
  sends.house = await openEmbeddedHouse(t, { repertoire })
  await sends.house.shards.ask(owner, putAgent, agentOf(place))
  return sends as Sends & { house: House }
}

let numbers = 0
export const newNumber = (): string => `+1415555${String(1000 + numbers++).slice(-4)}`
export const toNumber = (address = newNumber()) => ({
  recipient: { kind: 'address' as const, channel: 'rcs', address },
})
