/** A whole node in the budget scenario: default limits, and time so fast that it dispatches the sends it accepts. */
import { cpuMicros, serveCandidate } from '../../harness/rpc.js'
import type { Sample } from '../../harness/sample.js'
import { sleep } from '../messages/phones.js'
import { type BudgetLoad, finalAfterMs, timeScale } from './budget.js'
import { watchDispatch } from './dispatchwatch.js'
import { newKey, newNodeSetup, sendsPath, setUpAgent, startJourneyNode, statusPath } from './node.js'

const { wrapShards, counts } = watchDispatch()
const node = await setUpAgent(await startJourneyNode(newNodeSetup(), { timeScale, wrapShards }))
const of: BudgetLoad = {
  path: sendsPath(node),
  keys: [await newKey(node, 'journey')],
  statusPath: statusPath(node),
  statusKey: await newKey(node, 'statuses'),
  isBurst: process.argv.includes('--burst'),
}

/** Waits until the provider has every accepted send. A missing one is a failure of the window. */
async function waitForDelivery(): Promise<Sample> {
  const start = { at: performance.now(), cpu: cpuMicros() }
  while (counts.handedOver < counts.accepted && performance.now() - start.at < 2 * finalAfterMs) await sleep(5)
  const failures = {
    ...(counts.handedOver < counts.accepted && { 'accepted and never sent': counts.accepted - counts.handedOver }),
    ...(counts.refused > 0 && { 'not taken by the provider': counts.refused }),
  }
  Object.assign(counts, { accepted: 0, handedOver: 0, refused: 0 })
  return {
    operations: 0,
    seconds: (performance.now() - start.at) / 1000,
    failures,
    bytes: 0,
    latencyMs: [],
    cpuMicros: cpuMicros() - start.cpu,
  }
}

serveCandidate({
  ready: {
    port: Number(new URL(node.url).port),
    request: { method: 'POST', path: of.path, headers: {}, body: '', made: { by: 'journey/platform', of } },
    notes: [
      `One API key, with the limit on. Time goes ${timeScale} times as fast, so sends are picked up 5 s after they were`,
      'accepted: while the window lasts the node also writes openings, opens conversations and hands them to the emulated',
      'provider. What was accepted and did not get there is a failure.',
    ],
  },
  work: waitForDelivery,
  close: () => node.stop(),
})
