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
import { type Campaigns as CampaignArea, createCampaigns } from '../../../mgmt/campaigns/index.js'
import type { RecipientsFound } from '../../../mgmt/campaigns/queries.js'
import type { StageStep } from '../../../mgmt/campaigns/staging.js'
import type { Channels } from '../../../mgmt/channels/index.js'
import type { Personas } from '../../../mgmt/sandbox/commands.js'
import { sendBudgets } from '../../../runtime/delivery/throttle.js'
import { type Metrics, openMetrics } from '../../../runtime/observe/metrics.js'
import type { Command, Query, Tx } from '../../../runtime/shard/contract.js'
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
  /** As the commit does that makes a binding Active. */
  ready(tx: Tx, at: number): void
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
    const people = enter.people!
    return all.map(({ isUnreachable, isStopped, received, marketingAt, importBatchId, sandbox, ...change }, nth) => {
      const blank = newPerson(people.newId(told), 'test', told.at)
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
      people.keep(tx, place, undefined, person, told)
      return person
    })
  },
}
const perCommand = 500

export async function openCampaigns(
  t: Test,
  more: readonly Command<never, unknown>[] = [],
  metrics: Metrics = openMetrics(),
): Promise<Campaigns> {
  const orgEvent = { name: 'test.orgEvent', decide: () => true }
  const personas = new Map<string, string>()
  const personOf: Personas['personOf'] = (reader, at, id) =>
    personas.has(id) ? sends.people.byId(reader, at, personas.get(id)!) : undefined
  let entered = 0
  let area!: CampaignArea
  let onReady!: Parameters<Channels['onReady']>[0]
  const agentGone: Command<object, true> = {
    name: 'test.agentGone',
    decide(tx) {
      sends.agents.removed(tx, place)
      return true
    },
  }
  const sends: Sends = await openSends(
    t,
    { metrics, personas: { personOf } },
    [enter as Command<never, unknown>, agentGone as Command<never, unknown>, ...more],
    (before) => {
      area = createCampaigns({
        ...before,
        orgEvent,
        personas: { personOf },
        channels: {
          onReady: (listener) => {
            onReady = listener
          },
          pacesOf: () => house.paces,
          drawTimes: sendBudgets.take,
          boundTo: () => house.bound ?? house.paces.map(({ channel }) => channel),
        },
        window: () => house.window,
        metrics,
        timeScale: 1,
      })
      return area
    },
  )
  const { commands, queries } = area

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
    ready: (tx, at) => onReady(tx, place, at),
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
