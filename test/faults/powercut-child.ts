/** The process under power cuts: one life of a subject, with each acknowledgement written to the log at once. */
import { openSync, writeSync } from 'node:fs'
import { subjects } from './powercut-subjects.js'
import type { Ack } from './powercut-work.js'

const [dir = '', acksPath = '', subject = '', ending = '', commits = ''] = process.argv.slice(2)
const acks = openSync(acksPath, 'a')
const acknowledge = (ack: Ack) => void writeSync(acks, `${JSON.stringify(ack)}\n`)
const end = await subjects[subject]!.work(dir, acknowledge, Number(commits))
if (ending === 'killed') process.kill(process.pid, 'SIGKILL')
await end()
acknowledge({ did: 'closed', writer: 0, n: 0 })
