/**
 * Campaigns over a shard of their own: people who are entered, conversations that a test scripts, and time that passes.
 */
import type { Test } from 'tap'
import type { CampaignBody } from '../../../core/campaign/campaign.js'
import { isOpenState, type RecipientState } from '../../../core/campaign/recipient.js'
import type { DispatchWindow, Throughput } from '../../../core/campaign/throughput.js'
import type { CampaignRecipient, CampaignReport, CampaignStaged, CampaignView } from '../../../core/campaign/view.js'
import type { ChannelName } from '../../../core/channelnames.js'
import { isRefusal, type Refusal } from '../../../core/errors.js'
import { campaign as limits } from '../../../core/limits/index.js'
import { applyChange, newPerson, type PersonChange } from '../../../core/people/change.js'
import type { Person } from '../../../core/people/person.js'
import { type Campaigns as CampaignArea, createCampaigns } from '../../../mgmt/campaigns/index.js'
import type { RecipientPage } from '../../../mgmt/campaigns/queries.js'
import type { StageStep } from '../../../mgmt/campaigns/staging.js'
import type { Channels } from '../../../mgmt/channels/index.js'
import type { Personas } from '../../../mgmt/sandbox/commands.js'
import { sendBudgets } from '../../../runtime/delivery/throttle.js'
import { createMetrics, type Metrics } from '../../../runtime/observe/metrics.js'
import type { Command, Query, Tx } from '../../../runtime/shard/contract.js'
import { eventually } from '../../contract/shards/fixture.js'
import { agentRef, openSendsFixture, owner, type SendsFixture } from '../outreach/fixture.js'

export interface PersonSpec extends PersonChange {
  /** No number on any channel. */
  readonly isUnreachable?: true
  readonly isStopped?: true
  readonly received?: readonly string[]
  readonly marketingAt?: number
  readonly importBatchId?: string
  /** A persona's. */
  readonly sandbox?: true
}

export interface CampaignsFixture {
  readonly sends: SendsFixture
  readonly area: CampaignArea
  /** What carries messages; without any there is no route. */
  paces: readonly Throughput[]
  /** Channels that have a binding, ready or not; absent: those that carry messages. */
  bound?: readonly ChannelName[]
  window: DispatchWindow
  readonly personas: Map<string, string>
  /** As the commit does that makes a binding Active. */
  ready(tx: Tx, at: number): void
  ask<I, R>(command: Command<I, R>, input: object): Promise<R>
  refusalOf(command: Command<never, unknown>, input: object): Promise<Refusal | undefined>
  read<I, R>(query: Query<I, R>, input: object): Promise<R>
  /** So many people who consented and can be written to, or as each says. */
  people(all: number | readonly PersonSpec[]): Promise<readonly Person[]>
  draft(body?: Partial<CampaignBody>): Promise<CampaignView>
  stage(campaignId: string): Promise<CampaignStaged>
  /** Drafts, stages and starts one for everybody. */
  startNew(body?: Partial<CampaignBody>): Promise<string>
  move(campaignId: string, name: 'start' | 'pause' | 'resume' | 'cancel'): Promise<CampaignView>
  get(campaignId: string): Promise<CampaignView>
  recipients(campaignId: string, state?: RecipientState): Promise<CampaignRecipient[]>
  report(campaignId: string): Promise<CampaignReport>
  /** Lets time pass until the campaign is in that status. */
  waitForStatus(campaignId: string, status: CampaignView['status'], passMs?: number): Promise<CampaignView>
  eventually(condition: () => boolean | Promise<boolean>, passMs?: number): Promise<void>
  /** What is wrong with the report if it is held against the rows; nothing else is ever to be said. */
  mismatch(campaignId: string): Promise<string | undefined>
}

/** Enters people with identities, as conversations would have. */
const createEnterPeople = (
  peopleOf: () => SendsFixture['people'],
): Command<{ all: readonly PersonSpec[]; from: number }, readonly Person[]> => ({
  name: 'test.enterAll',
  decide(tx, { all, from }, meta) {
    const people = peopleOf()
    return all.map(({ isUnreachable, isStopped, received, marketingAt, importBatchId, sandbox, ...change }, nth) => {
      const blank = newPerson(people.newId(meta), 'test', meta.at)
      const created = applyChange(blank, { consent: { status: 'granted' }, ...change }, meta.at)
      if (isRefusal(created)) throw new Error(created.detail)
      const address = `+1415${String(from + nth).padStart(7, '0')}`
      const optedOut = isStopped ? { optedOutAt: meta.at, consentAt: meta.at } : {}
      const identity = { asid: `usr_rcs_${address}`, channel: 'rcs' as const, address, ...optedOut }
      const person: Person = {
        ...created,
        identities: isUnreachable ? [] : [identity],
        ...((received || marketingAt !== undefined) && {
          outreach: { ...(received && { received }), ...(marketingAt !== undefined && { marketingAt }) },
        }),
        ...(importBatchId !== undefined && { importBatchId }),
        ...(sandbox && { sandbox }),
      }
      people.save(tx, agentRef, undefined, person, meta)
      return person
    })
  },
})
const perCommand = 500

export async function openCampaignsFixture(
  t: Test,
  more: readonly Command<never, unknown>[] = [],
  metrics: Metrics = createMetrics(),
): Promise<CampaignsFixture> {
  const orgEvent = { name: 'test.orgEvent', decide: () => true }
  const personas = new Map<string, string>()
  const personOf: Personas['personOf'] = (reader, at, id) =>
    personas.has(id) ? sends.people.byId(reader, at, personas.get(id)!) : undefined
  const enterPeople = createEnterPeople(() => sends.people)
  let enteredCount = 0
  let area!: CampaignArea
  let onReady!: Parameters<Channels['onReady']>[0]
  const removeAgent: Command<object, true> = {
    name: 'test.agentRemoved',
    decide(tx) {
      sends.agents.removed(tx, agentRef)
      return true
    },
  }
  const sends: SendsFixture = await openSendsFixture(
    t,
    { metrics, personas: { personOf } },
    [enterPeople as Command<never, unknown>, removeAgent as Command<never, unknown>, ...more],
    (before) => {
      area = createCampaigns({
        ...before,
        orgEvent,
        personas: { personOf },
        channels: {
          onReady: (listener) => {
            onReady = listener
          },
          throughputOf: () => fixture.paces,
          drawTimes: sendBudgets.draw,
          boundChannels: () => fixture.bound ?? fixture.paces.map(({ channel }) => channel),
        },
        dispatchWindow: () => fixture.window,
        metrics,
        timeScale: 1,
      })
      return area
    },
  )
  const { commands, queries } = area

  async function ask<I, R>(command: Command<I, R>, input: object): Promise<R> {
    const answer = await sends.fixture.shards.execute(owner, command, { ...agentRef, ...input } as I)
    if (isRefusal(answer)) throw new Error(`${command.name}: ${answer.refused} ${answer.detail ?? ''}`)
    return answer
  }

  async function read<I, R>(query: Query<I, R>, input: object): Promise<R> {
    const answer = await sends.fixture.shards.query(owner, query, { ...agentRef, ...input } as I)
    if (isRefusal(answer)) throw new Error(`${query.name}: ${answer.refused}`)
    return answer
  }

  const fixture: CampaignsFixture = {
    sends,
    area,
    paces: [{ channel: 'rcs', provider: 'emulator', perSecond: 100 }],
    window: limits.idle,
    personas,
    ready: (tx, at) => onReady(tx, agentRef, at),
    ask,
    read,
    async refusalOf(command, input) {
      const answer = await sends.fixture.shards.execute(owner, command as Command<unknown, unknown>, {
        ...agentRef,
        ...input,
      })
      return isRefusal(answer) ? answer : undefined
    },
    async people(all) {
      const specs = typeof all === 'number' ? Array.from({ length: all }, () => ({})) : all
      const created: Person[] = []
      for (let from = 0; from < specs.length; from += perCommand) {
        created.push(
          ...(await ask(enterPeople, { all: specs.slice(from, from + perCommand), from: enteredCount + from })),
        )
      }
      enteredCount += specs.length
      return created
    },
    draft: (body = {}) =>
      ask(commands.create, { body: { name: 'Spring', outreachId: 'hello', audience: { filter: {} }, ...body } }),
    async stage(campaignId) {
      const step: StageStep = await ask(commands.beginStaging, { campaignId })
      while ((await ask(commands.step, step)) !== 'complete') {}
      return read(queries.stagingResult, { campaignId })
    },
    async startNew(body = {}) {
      const { id } = await fixture.draft(body)
      await fixture.stage(id)
      await fixture.move(id, 'start')
      return id
    },
    move: (campaignId, name) => ask(commands[name], { campaignId }),
    get: (campaignId) => read(queries.one, { campaignId }),
    async recipients(campaignId, state) {
      const data: CampaignRecipient[] = []
      let after: number | undefined
      do {
        const query = { campaignId, limit: 1_000, ...(state && { state }), ...(after !== undefined && { after }) }
        const page: RecipientPage = await read(queries.recipients, query)
        data.push(...page.rows.map(({ view }) => view))
        after = page.after
      } while (after !== undefined)
      return data
    },
    report: (campaignId) => read(queries.report, { campaignId }),
    async waitForStatus(campaignId, status, passMs = 1_000) {
      await fixture.eventually(async () => (await fixture.get(campaignId)).status === status, passMs)
      return fixture.get(campaignId)
    },
    eventually: (condition, passMs = 0) => eventually(sends.fixture, condition, passMs),
    async mismatch(campaignId) {
      const [rows, { states, reasons, total }, { status }] = await Promise.all([
        fixture.recipients(campaignId),
        fixture.report(campaignId),
        fixture.get(campaignId),
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
  return fixture
}
