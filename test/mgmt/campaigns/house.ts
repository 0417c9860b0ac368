/** Campaigns over a shard of their own: people who are entered, conversations that a test scripts, and time that passes. */
import type { Test } from 'tap'
import type { CampaignBody } from '../../../core/campaign/campaign.js'
import type { Pace, Window } from '../../../core/campaign/pace.js'
import { isOpenState, type RecipientState } from '../../../core/campaign/recipient.js'
import type { CampaignRecipient, CampaignReport, CampaignStaged, CampaignView } from '../../../core/campaign/view.js'
import type { ChannelName } from '../../../core/channelnames.js'
import { isRefusal, type Refusal } from '../../../core/errors.js'
import { campaign as limits } from '../../../core/limits.js'
import { changed, newPerson, type PersonChange } from '../../../core/people/change.js'
import type { Person } from '../../../core/people/person.js'
import { type CampaignArea, campaignRepertoire, openCampaignArea } from '../../../mgmt/campaigns/open.js'
import type { RecipientsFound } from '../../../mgmt/campaigns/reading.js'
import type { StageStep } from '../../../mgmt/campaigns/staging.js'
import type { SendMeters } from '../../../mgmt/outreach/meters.js'
import type { Command, Query } from '../../../runtime/shard/contract.js'
import { eventually } from '../../contract/shards/house.js'
import { openSends, owner, place, type Sends } from '../outreach/house.js'

export interface Entered extends PersonChange {
  /** No number on any channel. */
  readonly isUnreachable?: true
  readonly isStopped?: true
  readonly received?: readonly string[]
  readonly marketingAt?: number
  readonly importBatchId?: string
  /** A persona's. */
  readonly sandbox?: true
}

export interface Campaigns {
  readonly sends: Sends
  readonly area: CampaignArea
  /** What carries messages; without any there is no route. */
  paces: readonly Pace[]
  /** Channels that have a binding, ready or not; absent: those that carry messages. */
  bound?: readonly ChannelName[]
  window: Window
  readonly personas: Map<string, string>
  ask<I, R>(command: Command<I, R>, input: object): Promise<R>
  refused(command: Command<never, unknown>, input: object): Promise<Refusal | undefined>
  read<I, R>(query: Query<I, R>, input: object): Promise<R>
  /** So many people who consented and can be written to, or as each says. */
  people(all: number | readonly Entered[]): Promise<readonly Person[]>
  draft(body?: Partial<CampaignBody>): Promise<CampaignView>
  stage(campaignId: string): Promise<CampaignStaged>
  /** Drafts, stages and starts one for everybody. */
  started(body?: Partial<CampaignBody>): Promise<string>
  move(campaignId: string, name: 'start' | 'pause' | 'resume' | 'cancel'): Promise<CampaignView>
  one(campaignId: string): Promise<CampaignView>
  recipients(campaignId: string, state?: RecipientState): Promise<CampaignRecipient[]>
  report(campaignId: string): Promise<CampaignReport>
  /** Lets time pass until the campaign is in that status. */
  reaches(campaignId: string, status: CampaignView['status'], passMs?: number): Promise<CampaignView>
  eventually(holds: () => boolean | Promise<boolean>, passMs?: number): Promise<void>
  /** What is wrong with the report if it is held against the rows; nothing else is ever to be said. */
  mismatch(campaignId: string): Promise<string | undefined>
}

/** Enters people with identities, as conversations would have. */
const enter: { people?: Sends['people'] } & Command<{ all: readonly Entered[]; from: number }, readonly Person[]> = {
  name: 'test.enterAll',
  decide(tx, { all, from }, told) {
    const { door } = enter.people!
    return all.map(({ isUnreachable, isStopped, received, marketingAt, importBatchId, sandbox, ...change }, nth) => {
      const blank = newPerson(door.newId(told), 'test', told.at)
      const made = changed(blank, { consent: { status: 'granted' }, ...change }, told.at)
      if (isRefusal(made)) throw new Error(made.detail)
      const address = `+1415${String(from + nth).padStart(7, '0')}`
      const stopped = isStopped ? { optedOutAt: told.at, standingAt: told.at } : {}
      const identity = { asid: `usr_rcs_${address}`, channel: 'rcs' as const, address, ...stopped }
      const person: Person = {
        ...made,
        identities: isUnreachable ? [] : [identity],
        ...((received || marketingAt !== undefined) && {
          outreach: { ...(received && { received }), ...(marketingAt !== undefined && { marketingAt }) },
        }),
        ...(importBatchId !== undefined && { importBatchId }),
        ...(sandbox && { sandbox }),
      }
      door.keep(tx, place, undefined, person, told)
      return person
    })
  },
}
const perCommand = 500

export async function openCampaigns(
  t: Test,
  more: readonly Command<never, unknown>[] = [],
  meters?: SendMeters,
): Promise<Campaigns> {
  const agent = { serial: 1, name: 'Desk' }
  const orgEvent = { name: 'test.orgEvent', decide: () => true }
  const parts = () => sends.parts.campaigning
  const personas = new Map<string, string>()
  let entered = 0
  const area = openCampaignArea({
    agents: {
      serialOf: () => agent.serial,
      read: () => ({ document: sends.document, agent }),
      pacesOf: () => house.paces,
      boundTo: () => house.bound ?? house.paces.map(({ channel }) => channel),
    },
    people: {
      byId: (...which) => sends.people.door.byId(...which),
      look: (...which) => sends.people.door.look(...which),
    },
    personas: {
      personOf: (reader, at, id) =>
        personas.has(id) ? sends.people.door.byId(reader, at, personas.get(id)!) : undefined,
    },
    sends: {
      launch: (...made) => parts().launch(...made),
      report: (...made) => parts().report(...made),
      resume: (...which) => parts().resume(...which),
      cancel: (...which) => parts().cancel(...which),
      mayBeHandedOver: (...which) => parts().mayBeHandedOver(...which),
      sendAt: (...which) => parts().sendAt(...which),
      sendingOf: (...which) => parts().sendingOf(...which),
      isMarketingUnderWay: (...which) => parts().isMarketingUnderWay(...which),
    },
    orgEvent,
    timeScale: 1,
    window: () => house.window,
  })
  const { commands, queries } = area
  const agentGone: Command<object, true> = {
    name: 'test.agentGone',
    decide(tx) {
      area.part.removed(tx, place)
      return true
    },
  }
  const listed = campaignRepertoire(area)
  const sends: Sends = await openSends(
    t,
    { ...area.ofSends, referrersOf: area.referrersOf, ...(meters && { meters }) },
    [...listed.commands, enter as Command<never, unknown>, agentGone as Command<never, unknown>, ...more],
    {
      queries: listed.queries,
      performers: (shards, { parts: of }, world) =>
        area.performers({ shards, attempt: (...which) => of.attempting(world)(...which) }),
    },
  )

  async function ask<I, R>(command: Command<I, R>, input: object): Promise<R> {
    const answer = await sends.house.shards.ask(owner, command, { ...place, ...input } as I)
    if (isRefusal(answer)) throw new Error(`${command.name}: ${answer.refused} ${answer.detail ?? ''}`)
    return answer
  }

  async function read<I, R>(query: Query<I, R>, input: object): Promise<R> {
    const answer = await sends.house.shards.read(owner, query, { ...place, ...input } as I)
    if (isRefusal(answer)) throw new Error(`${query.name}: ${answer.refused}`)
    return answer
  }

  const house: Campaigns = {
    sends,
    area,
    paces: [{ channel: 'rcs', provider: 'emulator', perSecond: 100 }],
    window: limits.alone,
    personas,
    ask,
    read,
    async refused(command, input) {
      const answer = await sends.house.shards.ask(owner, command as Command<unknown, unknown>, { ...place, ...input })
      return isRefusal(answer) ? answer : undefined
    },
    async people(all) {
      enter.people = sends.people
      const wanted = typeof all === 'number' ? Array.from({ length: all }, () => ({})) : all
      const made: Person[] = []
      for (let from = 0; from < wanted.length; from += perCommand) {
        made.push(...(await ask(enter, { all: wanted.slice(from, from + perCommand), from: entered + from })))
      }
      entered += wanted.length
      return made
    },
    draft: (body = {}) =>
      ask(commands.create, { body: { name: 'Spring', outreachId: 'hello', audience: { filter: {} }, ...body } }),
    async stage(campaignId) {
      const begun: StageStep = await ask(commands.begin, { campaignId })
      while ((await ask(commands.step, begun)) !== 'whole') {}
      return read(queries.staged, { campaignId })
    },
    async started(body = {}) {
      const { id } = await house.draft(body)
      await house.stage(id)
      await house.move(id, 'start')
      return id
    },
    move: (campaignId, name) => ask(commands[name], { campaignId }),
    one: (campaignId) => read(queries.one, { campaignId }),
    async recipients(campaignId, state) {
      const data: CampaignRecipient[] = []
      let after: number | undefined
      do {
        const asked = { campaignId, limit: 1_000, ...(state && { state }), ...(after !== undefined && { after }) }
        const found: RecipientsFound = await read(queries.recipients, asked)
        data.push(...found.rows.map(({ shown }) => shown))
        after = found.after
      } while (after !== undefined)
      return data
    },
    report: (campaignId) => read(queries.report, { campaignId }),
    async reaches(campaignId, status, passMs = 1_000) {
      await house.eventually(async () => (await house.one(campaignId)).status === status, passMs)
      return house.one(campaignId)
    },
    eventually: (holds, passMs = 0) => eventually(sends.house, holds, passMs),
    async mismatch(campaignId) {
      const [rows, { states, reasons, total }, { status }] = await Promise.all([
        house.recipients(campaignId),
        house.report(campaignId),
        house.one(campaignId),
      ])
      const counts: Record<string, number> = {}
      for (const { state, reason } of rows) {
        counts[state] = (counts[state] ?? 0) + 1
        if (reason) counts[reason] = (counts[reason] ?? 0) + 1
      }
      for (const [name, count] of [...Object.entries(states), ...Object.entries(reasons)]) {
        if ((counts[name] ?? 0) !== count) return `${name}: ${count} counted, ${counts[name] ?? 0} rows`
      }
      const hasOpen = rows.some(({ state }) => isOpenState(state))
      if (status === 'completed' && hasOpen) return 'completed, and rows are open'
      return total === rows.length ? undefined : `${total} counted, ${rows.length} rows`
    },
  }
  return house
}
