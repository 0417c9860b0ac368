/**
 * A node whose campaign runs over a binding with a pace, at a provider that reports each message delivered and read.
 */
import { percents } from '../../harness/metrics.js'
import { cpuMicros, serveCandidate } from '../../harness/rpc.js'
import type { Sample } from '../../harness/sample.js'
import { sleep } from '../messages/phones.js'
import { pacedAudience } from './fixtures.js'
import { createDraft, openPacedNode } from './node.js'

const people = Number(process.env.BENCH_FILLED ?? pacedAudience)
const node = await openPacedNode(people)
const pollMs = 50
const maxWaitMs = 60_000

/** One whole campaign is a window, however long it takes: the pace of the binding decides that. */
async function runCampaign(): Promise<Sample> {
  const campaign = await createDraft(node)
  const { counts } = await node.call('POST', `${campaign}/stage`)
  if (counts.sendable !== people) throw new Error(`only ${counts.sendable} of ${people} can be sent to`)
  const [start, cpu] = [performance.now(), cpuMicros()]
  await node.call('POST', `${campaign}/start`)
  let read = 0
  while (read < people && performance.now() - start < maxWaitMs) {
    await sleep(pollMs)
    read = (await node.call('GET', `${campaign}/report`)).states.read
  }
  const ms = performance.now() - start
  return {
    operations: read,
    seconds: ms / 1000,
    failures: read < people ? { 'never read': people - read } : {},
    bytes: 0,
    latencyMs: percents.map((percent) => [percent, ms / people] as const),
    cpuMicros: cpuMicros() - cpu,
  }
}

serveCandidate({
  ready: {
    notes: [
      `${people} people on rcs over the emulated rbm provider, which has the pace of any provider. Each reads the message.`,
      'The agent has no webhook. CPU includes the emulated provider, which runs in the same process.',
    ],
  },
  work: runCampaign,
  close: () => node.stop(),
})
