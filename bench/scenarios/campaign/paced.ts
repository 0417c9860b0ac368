/** A node whose campaign runs at the pace of rbm during a window and is paused in between. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createHistogram } from 'node:perf_hooks'
import type { Inbound } from '../../../core/channel/inbound.js'
import type { NodeContext } from '../../../runtime/node/compose.js'
import { programFile } from '../../harness/children.js'
import { percentilesOf } from '../../harness/load/generator.js'
import { cpuMicros, serveCandidate } from '../../harness/rpc.js'
import type { Sample, Window } from '../../harness/sample.js'
import { sleep } from '../messages/phones.js'
import { pacedAudience } from './fixtures.js'
import { createDraft, openCampaignNode } from './node.js'
import type { ProviderRequest } from './pacedprovider.js'

const people = Number(process.env.BENCH_FILLED ?? pacedAudience)
/** How long receipts may take: the first of a window, and all of them after a pause. */
const settleMs = 20_000

const provider = fork(programFile('campaign/pacedprovider'))

/** Returns the credentials of the account. */
async function askProvider(request: ProviderRequest): Promise<unknown> {
  provider.send(request)
  const [auth] = await once(provider, 'message')
  return auth
}

/** Counts people whose message was read, by the commands that record it. */
const openedAt = new Map<string, number>()
let onRead: (micros: number) => void = () => {}
/** People whose message was read, in all windows. */
let readTotal = 0
const wrapShards: NonNullable<NodeContext['wrapShards']> = (shards) => ({
  ...shards,
  async execute(owner, command, input, options) {
    if (command.name === 'conversation.open') openedAt.set(owner, performance.now())
    const answer = await shards.execute(owner, command, input, options)
    if (command.name === 'conversation.receiveInbound') {
      const { items } = input as { items: readonly { readonly inbound: Inbound }[] }
      const opened = openedAt.get(owner)
      if (opened !== undefined && items.some(({ inbound }) => isRead(inbound))) {
        openedAt.delete(owner)
        readTotal++
        onRead((performance.now() - opened) * 1_000)
      }
    }
    return answer
  },
})

function isRead(inbound: Inbound): boolean {
  return inbound.kind === 'receipt' && inbound.receipt.state === 'read'
}

const auth = await askProvider({})
const node = await openCampaignNode(people, wrapShards, { provider: 'rbm', auth })
const { data: bindings } = await node.call('GET', '/channels')
const binding = bindings.find(({ channel }: { channel: string }) => channel === 'rcs')
await askProvider({ ingressUrl: binding.ingressUrl })
while ((await node.call('GET', `/channels/${binding.id}`)).status !== 'Active') await sleep(20)
const campaign = await createDraft(node)
const { counts } = await node.call('POST', `${campaign}/stage`)
if (counts.sendable !== people) throw new Error(`only ${counts.sendable} of ${people} can be sent to`)
let isStarted = false

async function run({ warmSeconds, seconds }: Window): Promise<Sample> {
  const micros = createHistogram({ figures: 3 })
  let read = 0
  onRead = (elapsedMicros) => {
    read++
    micros.record(Math.max(1, Math.round(elapsedMicros)))
  }
  if (readTotal === people) throw new Error(`all ${people} people have been written to: fill the node with more`)
  await node.call('POST', `${campaign}/${isStarted ? 'resume' : 'start'}`)
  isStarted = true
  while (read === 0) await sleep(5)
  await sleep(warmSeconds * 1_000)
  micros.reset()
  const start = { at: performance.now(), cpu: cpuMicros(), read }
  await sleep(seconds * 1_000)
  // The window goes on while the machine stood still for all of it.
  while (read === start.read && readTotal < people && performance.now() - start.at < settleMs) await sleep(5)
  const sample = {
    operations: read - start.read,
    seconds: (performance.now() - start.at) / 1_000,
    bytes: 0,
    latencyMs: percentilesOf(micros),
    cpuMicros: cpuMicros() - start.cpu,
  }
  return { ...sample, failures: await pauseCampaign() }
}

/**
 * Pauses the campaign, unless it has ended, and waits for the receipts of all messages that went out; returns how many
 * were not read.
 */
async function pauseCampaign(): Promise<Record<string, number>> {
  if (readTotal === people) return {}
  await node.call('POST', `${campaign}/pause`)
  for (const end = performance.now() + settleMs; ; await sleep(50)) {
    const { states } = await node.call('GET', `${campaign}/report`)
    const unread = states.sent + states.delivered + states.failed
    if (unread === 0) return {}
    if (performance.now() > end) return { 'not read': unread }
  }
}

serveCandidate({
  ready: {
    notes: [
      `${people} people, each with a conversation that begins with this, on rbm at the pace that Parley keeps with it. Each`,
      'message is accepted, then delivered, then read, by calls of the provider. A recipient without all three is a failure.',
    ],
  },
  work: run,
  async close() {
    await node.stop()
    provider.disconnect()
  },
})
