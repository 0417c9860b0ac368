/**
 * Three nodes on three NATS servers in the journey-cluster scenario, each in its own process; one of them is called.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { programFile } from '../../harness/children.js'
import { serveCandidate } from '../../harness/rpc.js'
import { startNats } from '../cluster/server.js'
import { journeyCalls } from './calls.js'
import type { Start, Started } from './clusternode.js'
import { callsOf, newNodeSetup, setUpAgent } from './node.js'

const nodes = 3
/** The node picks up no send while the bench runs. */
const timeScale = 0.001
const keys = 200

const servers = await startNats(false)
const rootKey = randomBytes(32)
const { key } = newNodeSetup()
const children: ChildProcess[] = []

async function start(name: string): Promise<Started> {
  const child = fork(programFile('journey/clusternode'))
  children.push(child)
  const { dir } = newNodeSetup(name)
  const exited = once(child, 'exit').then(() => {
    throw new Error('a node ended before it was ready')
  })
  exited.catch(() => undefined)
  child.send({ dir, key, rootKeyHex: rootKey.toString('hex'), timeScale, natsUrls: servers.urls } satisfies Start)
  const [started] = await Promise.race([once(child, 'message'), exited])
  return started
}

// Started one after the other, so that the first one creates the org and its key.
const started: Started[] = []
for (let nth = 0; nth < nodes; nth++) started.push(await start(`cluster-${process.pid}-${nth}`))
const { url } = started[0]!
const agentRef = { orgId: 'demo', agentId: '' }
const node = await setUpAgent({ url, key, agent: agentRef, dir: '', rootKey, stop: async () => {} })
const calls = await callsOf(node, keys)

serveCandidate({
  ready: {
    port: Number(new URL(url).port),
    request: journeyCalls(calls),
    notes: [
      `${servers.about} and ${nodes} nodes share this machine; the load is on one node, whichever of them has the agent. The`,
      'processor time told is that of none of them.',
    ],
  },
  async close() {
    await Promise.all(
      children.map((child) => {
        const ended = once(child, 'exit')
        child.disconnect()
        return ended
      }),
    )
    await servers.stop()
  },
})
