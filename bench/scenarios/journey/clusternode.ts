/** One node of the journey-cluster scenario in its own process, started and ended by its parent. */
import { type NodeSetup, startJourneyNode } from './node.js'

export interface Started {
  readonly url: string
}

/** The parent's message: the node's data folder, and the servers it joins. */
export interface Start extends Omit<NodeSetup, 'rootKey'> {
  readonly rootKeyHex: string
  readonly timeScale: number
  readonly natsUrls: readonly string[]
}

process.once('message', async ({ rootKeyHex, timeScale, natsUrls, ...setup }: Start) => {
  const env = { PARLEY_NATS_URL: natsUrls.join(',') }
  const node = await startJourneyNode({ ...setup, rootKey: Buffer.from(rootKeyHex, 'hex') }, { timeScale, env })
  process.on('disconnect', () => void node.stop().finally(() => process.exit(0)))
  process.send!({ url: node.url } satisfies Started)
})
