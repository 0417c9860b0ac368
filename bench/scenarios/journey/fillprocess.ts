/** Fills a disk in a process of its own, so that the node's memory figure is the node's alone. */
import type { AgentRef } from '../../../core/agentref.js'
import { fill } from './fill.js'

/** The parent's message. */
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
