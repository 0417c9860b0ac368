/** The embedded node, killed at random moments under load and restarted on its data. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Rng, seededRng } from '../sim/world/rng.js'
import type { Book } from './books.js'
import { call } from './call.js'
import { type Clients, openClients } from './clients.js'
import { type FaultNode, openFaultNode } from './faultnode.js'
import { openHistory } from './history.js'
import { judge, judgeEntries, type Trial } from './judge.js'
import type { Mutant } from './mutants.js'
import { openReceiver } from './receiver.js'
import type { FaultReport } from './report.js'
import { waitUntil } from './timeout.js'

export interface Cycles {
  readonly cycles: number
  readonly seed: number
  /** Called after each cycle. */
  readonly note?: (line: string) => void
}

export interface Kills extends Cycles {
  readonly mutants?: readonly Mutant[]
}

const books = Array.from({ length: 8 }, (_, at) => `book-${at}`)
const maxWrites = 120
const maxMs = 25
/** The share of kills during the start of the node, and the longest delay of such a kill. */
const earlyShare = 0.2
const earlyMs = 600
const readMs = 60_000

export async function embeddedKills({ cycles, seed, mutants = [], note = () => {} }: Kills): Promise<FaultReport> {
  const rng = seededRng(seed)
  const receiver = await openReceiver(rng.fork('receiver'))
  const faultNode = openFaultNode('embedded', { FAULTS_RECEIVER: receiver.url, FAULTS_MUTANTS: mutants.join() })
  const trial: Trial = { books, faultNodes: [faultNode], history: openHistory(), receiver }
  let clients: Clients | undefined
  try {
    faultNode.spawn()
    await faultNode.started()
    clients = openClients({ ...trial, rng: rng.fork('clients') })
    let recoveryMs = 0
    for (let cycle = 1; cycle <= cycles; cycle++) {
      const killedAt = await killOnce(trial, faultNode, rng)
      await checkNow(trial, faultNode, `after kill ${cycle}`)
      const allBooksAccept = () => trial.history.everyBookAccepted(books, killedAt)
      await waitUntil('every book takes writes again', trial.faultNodes, allBooksAccept)
      recoveryMs = Math.max(recoveryMs, trial.history.longestWait(killedAt))
      note(`killed ${cycle} times, ${trial.history.acknowledged().length} acknowledged`)
    }
    await clients.stop()
    const verdict = await judge(trial)
    return { fault: 'embedded node killed', seed, cycles, recoveryMs, ...verdict }
  } finally {
    clients?.leave()
    await faultNode.remove()
    await receiver.close()
  }
}

/** Kills the node after some writes, or once more while it restarts; returns the time. */
async function killOnce({ history }: Trial, faultNode: FaultNode, rng: Rng): Promise<number> {
  const enough = history.acknowledged().length + rng.below(maxWrites)
  await waitUntil(`${enough} writes are taken`, [faultNode], () => history.acknowledged().length >= enough)
  await sleep(rng.between(0, maxMs))
  const at = performance.now()
  await faultNode.kill()
  faultNode.spawn()
  while (rng.chance(earlyShare)) {
    await sleep(rng.between(0, earlyMs))
    await faultNode.kill()
    faultNode.spawn()
  }
  await faultNode.started()
  return at
}

/** Every write acknowledged so far must be there at once, not only at the end. */
async function checkNow({ history }: Trial, faultNode: FaultNode, when: string): Promise<void> {
  const before = history.acknowledged()
  for (const book of books) {
    const { answer, how } = await call<Book>(faultNode, 'GET', `/books/${book}`, readMs)
    if (!answer) throw new Error(`${faultNode.name} did not show ${book}: ${how}`)
    const writes = before.filter((write) => write.book === book)
    const knownValues = new Set(writes.map(({ value }) => value))
    const entries = answer.entries.map((entry) => (knownValues.has(entry.value) ? entry : { ...entry, value: '' }))
    judgeEntries(book, { ...answer, entries }, writes, (kind, sentence) => {
      if (kind === 'missing') history.violations.push(`${when}: ${sentence}`)
    })
  }
}
