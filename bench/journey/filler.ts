/** Fills a disk in a process of its own, so that what the node holds afterwards is the node's alone. */
import type { AgentPlace } from '../../core/agentkey.js'
import { fill } from './fill.js'

/** What a parent says. */
export interface Filling {
  readonly dir: string
  readonly rootKeyHex: string
  readonly agent: AgentPlace
  readonly people: number
}

process.once('message', async ({ dir, rootKeyHex, agent, people }: Filling) => {
  await fill({ dir, rootKey: Buffer.from(rootKeyHex, 'hex'), key: '' }, agent, people)
  process.exit(0)
})
