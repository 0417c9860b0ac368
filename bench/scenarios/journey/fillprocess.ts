/** Fills a disk in a process of its own, so that what the node holds afterwards is the node's alone. */
import type { AgentRef } from '../../../core/agentref.js'
import { fill } from './fill.js'

/** What a parent says. */
export interface FillJob {
  readonly dir: string
  readonly rootKeyHex: string
  readonly agent: AgentRef
  readonly people: number
}

process.once('message', async ({ dir, rootKeyHex, agent, people }: FillJob) => {
  await fill({ dir, rootKey: Buffer.from(rootKeyHex, 'hex'), key: '' }, agent, people)
  process.exit(0)
})
