/** The judge of campaigns finds each wrong that a fault could cause; kills fall where they are aimed. */
import fc from 'fast-check'
import t from 'tap'
import { seededRng } from '../sim/world/rng.js'
import type { CampaignAgent, SeenRow } from './campaigns-agent.js'
import { judgeCampaign } from './campaigns-judge.js'
import { createKillTiming } from './campaigns-timing.js'
import type { Arrival } from './sends-record.js'

const row = (nth: number, more: Partial<SeenRow> = {}): SeenRow => ({
  id: `rc_${nth}`,
  personId: `pr_${nth}`,
  state: 'sent',
  sendId: `sd_${nth}`,
  ...more,
})
const arrival = (nth: number, more: Partial<Arrival> = {}): Arrival => ({
  at: nth,
  id: `msg_${nth}`,
  phone: `+1415555100${nth}`,
  ref: `ref-${nth}`,
  isAccepted: true,
  isAnswered: true,
  ...more,
})

interface Seen {
  readonly rows?: readonly SeenRow[]
  readonly arrivals?: readonly Arrival[]
  readonly states?: Readonly<Record<string, number>>
  readonly reasons?: Readonly<Record<string, number>>
  readonly sends?: readonly { readonly sendId: string; readonly personId: string }[]
}

const stranger = row(2, { state: 'excluded', reason: 'no_consent', sendId: undefined })

async function problems({
  rows = [row(0), row(1), stranger],
  arrivals = [arrival(0), arrival(1)],
  states,
  reasons,
  sends,
}: Seen) {
  const counted: Record<string, number> = {}
  const reasonCounts: Record<string, number> = {}
  for (const { state, reason } of rows) {
    counted[state] = (counted[state] ?? 0) + 1
    if (reason) reasonCounts[reason] = (reasonCounts[reason] ?? 0) + 1
  }
  const own = rows.flatMap(({ sendId, personId }) => (sendId === undefined ? [] : [{ sendId, personId }]))
  const agent = {
    crowd: { agreed: 2, others: 1 },
    rows: async () => rows,
    report: async () => ({ states: states ?? counted, reasons: reasons ?? reasonCounts, total: rows.length }),
    phones: async () => new Map([0, 1].map((nth) => [`pr_${nth}`, arrival(nth).phone])),
    sends: async () => sends ?? own,
  } as unknown as CampaignAgent
  return (await judgeCampaign(agent, 'cm_1', arrivals)).problems
}

t.test('A correct campaign has no findings', async (t) => {
  t.same(await problems({}), [])
  const tried = arrival(0, { isAccepted: false, isAnswered: false })
  t.same(await problems({ arrivals: [tried, arrival(0), arrival(1)] }), [], 'the same message twice is one')
  const failed = row(1, { state: 'failed', reason: 'dispatch_failed' })
  const refused = arrival(1, { isAccepted: false })
  t.same(await problems({ rows: [row(0), failed, stranger], arrivals: [arrival(0), refused] }), [])
})

t.test('Each violation is found', async (t) => {
  for (const [what, seen, expected] of [
    ['a message of another id', { arrivals: [arrival(0), arrival(0, { id: 'msg_9' }), arrival(1)] }, /2 messages/],
    ['nobody took what is said to be sent', { arrivals: [arrival(0)] }, /never took it/],
    ['taken by nobody', { arrivals: [arrival(0), arrival(1, { isAccepted: false })] }, /never took it/],
    ['somebody is missing', { rows: [row(0), stranger] }, /2 rows of 3 people/],
    ['somebody is there twice', { rows: [row(0), row(1, { personId: 'pr_0' }), stranger] }, /two rows/],
    ['somebody waits on', { rows: [row(0), row(1, { state: 'queued' }), stranger] }, /pr_1 is queued/],
    ['somebody is passed over', { rows: [row(0), row(1, { state: 'failed' }), stranger] }, /pr_1 was passed over/],
    ['somebody is left out', { rows: [row(0), { ...stranger, personId: 'pr_1' }, stranger] }, /pr_1 was passed over/],
    ['a stranger is sent to', { rows: [row(0), row(1), row(2)] }, /pr_2 never agreed/],
    ['the report is another', { states: { sent: 1, failed: 1, excluded: 1 } }, /counted as sent/],
    ['the report leaves a state out', { states: { sent: 2 } }, /0 are counted as excluded/],
    ['the report has other reasons', { reasons: { opted_out: 1 } }, /counted as opted_out/],
    ['a send of nobody', { sends: [row(0), row(1), row(2)] as never }, /nobody's row/],
  ] as const) {
    t.ok(
      (await problems(seen as Seen)).some((sentence) => expected.test(sentence)),
      what,
    )
  }
})

t.test('Kills measure the duration of a stage, and most of them fall inside it', async (t) => {
  const kills = 400
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 10, max: 1_000 }), (seed, tookMs) => {
      const aim = createKillTiming(seededRng(seed))
      const moments = Array.from({ length: kills }, () => {
        const ms = aim.moment('pause')
        aim.recordOutcome('pause', ms < tookMs ? 'inside' : 'after', false)
        return ms
      })
      const inside = moments.filter((ms) => ms < tookMs)
      const thirds = new Set(inside.map((ms) => Math.floor((ms / tookMs) * 3)))
      return aim.count('pause') === kills && inside.length > kills / 2 && inside.length < kills && thirds.size === 3
    }),
  )
  t.pass('from the first third of it to the last')
})
