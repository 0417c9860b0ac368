/** Sends and automation over a shard of their own, with real people, a document that a test writes, and conversations that it scripts. */
import type { Test } from 'tap'
import { type AgentDocument, emptyDocument } from '../../../core/agent/index.js'
import { agentKeyOf } from '../../../core/agentkey.js'
import type { SendNews } from '../../../core/conversation/sendnews.js'
import { isRefusal, type Refusal, refuse } from '../../../core/errors.js'
import type { OrgEventPayload } from '../../../core/orgevents.js'
import type { OpeningFor as Opening, OpeningResult as OpeningAnswer, Probed } from '../../../core/outreach/contact.js'
import type { SendRequest } from '../../../core/outreach/request.js'
import { type Sending, usualSending } from '../../../core/outreach/settings.js'
import type { OutreachSend } from '../../../core/outreach/view.js'
import type { Person } from '../../../core/people/person.js'
import { automationRepertoire, type OpenAutomation, openAutomation } from '../../../mgmt/automation/open.js'
import type { ConversationDoor } from '../../../mgmt/outreach/needs.js'
import {
  type OutreachOptions,
  type OutreachParts,
  outreachParts,
  outreachRepertoire,
} from '../../../mgmt/outreach/open.js'
import { type OpenPeople, openPeople, peopleRepertoire } from '../../../mgmt/people/commands.js'
import type { Clock } from '../../../runtime/clock.js'
import type { Command, Performer, Repertoire, Shards } from '../../../runtime/shard/contract.js'
import { shardOf } from '../../../runtime/shard/place.js'
import { eventually, type House, houseShards } from '../../contract/shards/house.js'
import { openEmbeddedHouse } from '../../harness/engines.js'

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
  readonly parts: ReturnType<typeof outreachParts>
  readonly people: OpenPeople
  readonly automation: OpenAutomation
  readonly events: OrgEventPayload[]
  /** Everything that conversations took, in order. */
  readonly taken: Opening[]
  /** Sends whose opening reached the channel, as often as it did. */
  readonly out: string[]
  tellLate(): Promise<unknown>
  readonly optedOut: Set<string>
  /** When whoever has that identity last wrote. */
  readonly heardAt: Map<string, number>
  readonly conversations: ConversationDoor
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

/** Another area that makes sends, over the same shard. */
export interface Beside {
  readonly queries: Repertoire['queries']
  performers(
    shards: Shards,
    sends: Pick<Sends, 'parts'>,
    world: { conversations: ConversationDoor; clock: Clock },
  ): Readonly<Record<string, Performer>>
}

export async function openSends(
  t: Test,
  options: Partial<OutreachOptions> = {},
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
  const agent = { serial: 1, name: 'Desk' }
  const automation: OpenAutomation = openAutomation({
    agents: { serialOf: () => agent.serial, read: () => ({ document: sends.document, agent }) },
    people: {
      byId: (...which) => people.door.byId(...which),
      keepAppointment: (...kept) => people.door.keepAppointment(...kept),
    },
    sends: {
      accept: (tx, asked, told) => parts.commands.accept.decide(tx, asked, told),
      sendingOf: (reader) => (parts.queries.sending.read(reader, place) as Sending) ?? usualSending,
    },
    timeScale: 1,
  })
  const people: OpenPeople = openPeople({
    orgEvent,
    agentOf: () => agent,
    listeners: [automation.kept, (...kept) => parts.personKept(...kept)],
  })
  const parts: OutreachParts = outreachParts({
    ...automation.ofSends,
    orgEvent,
    documents: { read: () => ({ document: sends.document, agent }) },
    people: people.door,
    timeScale: 1,
    ...options,
  })
  const [taken, scripts, probes, probed]: [Opening[], Script[], Probed[], string[]] = [[], [], [], []]
  const [out, late]: [string[], SendNews[]] = [[], []]
  const optedOut = new Set<string>()
  const heardAt = new Map<string, number>()
  const known = new Map<string, number>()

  const conversations: ConversationDoor = {
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

  const around = () => ({ shards: sends.house.shards, conversations, clock: sends.house.clock })
  const all = [outreachRepertoire(parts), peopleRepertoire(people), automationRepertoire(automation)]
  const repertoire: Repertoire = {
    commands: [...all.flatMap((each) => each.commands), orgEvent, ...more] as Repertoire['commands'],
    queries: [...all.flatMap((each) => each.queries), ...(beside?.queries ?? [])],
    performers(shards) {
      const world = { shards, conversations, clock: { ...clock, now: () => sends.house.time.now() } }
      return {
        ...parts.performers(world),
        ...automation.performers(world),
        ...beside?.performers(shards, { parts }, world),
      }
    },
  }
  const clock = { now: () => 0, elapsed: () => 0, wake: () => () => {}, soon: () => {} }

  const sends: Sends = {
    house: undefined as unknown as House,
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
      return (await parts.desk(around()).create(place, whole as SendRequest, undefined, how)) as never
    },
    async read(sendId) {
      const asked = { ...place, sendId, seesAddress: true }
      return (await sends.house.shards.read(owner, parts.queries.one, asked)) as OutreachSend
    },
    cancel: (sendId) => sends.house.shards.ask(owner, parts.commands.cancel, { ...place, sendId, seesAddress: false }),
    tell,
    person: (personId) => people.door.byId(space(), place, personId),
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
  return sends as Sends & { house: House }
}

let numbers = 0
export const newNumber = (): string => `+1415555${String(1000 + numbers++).slice(-4)}`
export const toNumber = (address = newNumber()) => ({
  recipient: { kind: 'address' as const, channel: 'rcs', address },
})
