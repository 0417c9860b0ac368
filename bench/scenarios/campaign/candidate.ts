/** A node whose campaign runs during a window and is paused in between. */
import { createHistogram } from 'node:perf_hooks'
import { percentilesOf } from '../../harness/load/generator.js'
import { cpuMicros, serveCandidate } from '../../harness/rpc.js'
import type { Sample, Window } from '../../harness/sample.js'
import { sleep } from '../messages/phones.js'
import type { ApiCalls } from './caller.js'
import { audience } from './fixtures.js'
import { createDraft, openCampaignNode } from './node.js'
import { createProvider } from './provider.js'

const people = Number(process.env.BENCH_FILLED ?? audience)
const provider = createProvider()
const node = await openCampaignNode(people, provider.wrapShards)
const { call } = node
/** How long pending sends may take after the pause. */
const pauseTimeoutMs = 10_000
const rowsPerPage = 200

let campaign = ''
let isStarted = false
/** Recipients whose message the provider has not received yet. */
let remaining = 0

async function nextCampaign(): Promise<void> {
  campaign = await createDraft(node)
  const { counts } = await call('POST', `${campaign}/stage`)
  if (counts.sendable !== people) throw new Error(`only ${counts.sendable} of ${people} can be sent to`)
  provider.expect(await rowsOf(campaign))
  remaining = people
  isStarted = false
}

/** The row of each conversation in the campaign's order. */
async function rowsOf(path: string): Promise<Map<string, number>> {
  const rows = new Map<string, number>()
  for (let last = '', hasMore = true; hasMore; ) {
    const after = last === '' ? '' : `&startingAfter=${last}`
    const page = await call('GET', `${path}/recipients?limit=${rowsPerPage}${after}`)
    for (const { asid } of page.data) rows.set(asid, rows.size)
    last = page.data.at(-1)?.id
    hasMore = page.hasMore
  }
  return rows
}

async function waitUntil(isDone: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs
  while (!(await isDone())) {
    if (performance.now() > end) return false
    await sleep(2)
  }
  return true
}

/** Starts or resumes the campaign; the window ends early when no recipient is left. */
async function run({ warmSeconds, seconds }: Window): Promise<Sample> {
  if (remaining === 0) await nextCampaign()
  const micros = createHistogram({ figures: 3 })
  provider.onReceived = (elapsedMicros) => {
    remaining--
    micros.record(Math.max(1, Math.round(elapsedMicros)))
  }
  Object.assign(provider.counts, { got: 0, refused: 0, outOfOrder: 0 })
  await call('POST', `${campaign}/${isStarted ? 'resume' : 'start'}`)
  isStarted = true
  await waitUntil(() => remaining * 2 < people, warmSeconds * 1000)
  micros.reset()
  const start = { at: performance.now(), cpu: cpuMicros(), got: provider.counts.got }
  await waitUntil(() => remaining === 0, seconds * 1000)
  const sample = {
    operations: provider.counts.got - start.got,
    seconds: (performance.now() - start.at) / 1000,
    bytes: 0,
    latencyMs: percentilesOf(micros),
    cpuMicros: cpuMicros() - start.cpu,
  }
  const isPaused = await pauseCampaign()
  const { refused, outOfOrder } = provider.counts
  const failures = {
    ...(!isPaused && { 'never sent': 1 }),
    ...(refused > 0 && { 'not taken by the provider': refused }),
    ...(outOfOrder > 0 && { 'out of order': outOfOrder }),
  }
  return { ...sample, failures }
}

/**
 * Checks the campaign against its report: no recipient pending, and every message that the provider received counted as
 * sent.
 */
async function pauseCampaign(): Promise<boolean> {
  if (remaining > 0) await call('POST', `${campaign}/pause`)
  return waitUntil(async () => {
    const { states } = await call('GET', `${campaign}/report`)
    return states.sending === 0 && states.queued === 0 && states.sent === people - remaining
  }, pauseTimeoutMs)
}

// Started before the first window, so that the caller always meets a running campaign.
await nextCampaign()
const [{ id: personId }] = (await call('GET', '/people?limit=1')).data
const { orgId, agentId } = node.agent
const at = `/v1/orgs/${orgId}/agents/${agentId}`
const of: ApiCalls = { key: node.key, person: `${at}/people/${personId}`, sends: `${at}/outreach/sends?limit=20` }

serveCandidate({
  ready: {
    port: Number(new URL(node.url).port),
    request: { method: 'GET', path: '', headers: {}, body: '', made: { by: 'campaign/caller', of } },
    notes: [
      `${people} people, each with a conversation that begins with this. The provider takes as much as comes. What it got is`,
      'compared with the rows of the campaign, shard by shard; one that came behind a later one is a failure, and so is one',
      'that the report does not count as sent.',
    ],
  },
  work: run,
  close: () => node.stop(),
})
