/** A whole node in the journey scenarios: each step is parsed, decided and durable before its answer. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { programFile } from '../../harness/children.js'
import { serveCandidate } from '../../harness/rpc.js'
import { journeyCalls } from './calls.js'
import type { FillJob } from './fillprocess.js'
import { callsOf, newNodeSetup, setUpAgent, startJourneyNode } from './node.js'

/** So slow that the node picks up no send while the bench runs: like the others it measures acceptance. */
const timeScale = 0.001
/** Each key brings a burst of 1,000 and 200 a second: more than a window can use. */
const keys = 200
const filled = Number(process.env.BENCH_FILLED ?? 0)

const setup = newNodeSetup()
let node = await setUpAgent(await startJourneyNode(setup, { timeScale }))
const calls = await callsOf(node, keys)
if (filled > 0) {
  const { agent } = node
  await node.stop()
  const filler = fork(programFile('journey/fillprocess'))
  filler.send({ dir: setup.dir, rootKeyHex: setup.rootKey.toString('hex'), agent, people: filled } satisfies FillJob)
  const [code] = await once(filler, 'exit')
  if (code !== 0) throw new Error(`the disk was not filled: ${code}`)
  node = { ...(await startJourneyNode(setup, { timeScale })), agent }
}

serveCandidate({
  ready: {
    port: Number(new URL(node.url).port),
    request: journeyCalls(calls),
    notes: [
      `${keys} API keys in turn, each with its own budget, so that the limit of calls is passed and not switched off. Every`,
      'call is the step of a profile that nobody sent before. Sends are picked up after the run: this is acceptance alone.',
      ...(filled > 0 ? [`Before it, ${filled} people and as many past sends were on the disk.`] : []),
    ],
  },
  close: () => node.stop(),
})
