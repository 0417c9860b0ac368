/**
 * A process that checks the files found after a cut, one request and one answer per line; a damaged file may end it.
 */
import { createInterface } from 'node:readline'
import { subjects } from './powercut-subjects.js'
import type { Ack } from './powercut-work.js'

export interface CheckRequest {
  readonly subject: string
  readonly dir: string
  readonly acks: readonly Ack[]
}

for await (const line of createInterface({ input: process.stdin })) {
  const { subject, dir, acks } = JSON.parse(line) as CheckRequest
  const problem = await subjects[subject]!.check(dir, acks).catch((error: Error) => error.message)
  process.stdout.write(`${JSON.stringify(problem ?? null)}\n`)
}
