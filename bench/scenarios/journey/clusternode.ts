/** One node of the journey-cluster scenario, in a process of its own: started by its parent, and ended with it. */
import { type NodeSetup, startJourneyNode } from './node.js'

export interface Started {
  readonly url: string
}

/** What a parent says: where the node keeps its data, and which servers it joins. */
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
