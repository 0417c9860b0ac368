/**
 * Clients that write to books continuously, each through any node, and check through every node that acknowledged
 * entries are there.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rng } from '../sim/world/rng.js'
import type { BookView, Written } from './books.js'
import { call } from './call.js'
import type { FaultNode } from './faultnode.js'
import type { History, Write } from './history.js'

export interface Clients {
  /** Begins no further write; resolves when every pending one is acknowledged or given up. */
  stop(): Promise<void>
  /** Stops at once. */
  leave(): void
}

const clientCount = 6
/** After this long without an answer a client calls another node; when all were silent it doubles its patience. */
const answerMs = 2_000
const answerMaxMs = 30_000
const retryMs = 30
const pauseMs = 4
/** Reads may wait for a paused node to resume, and must then not return the state from before the pause. */
const readMs = 30_000
const checksPerNode = 12
const retryShare = 0.8

export function openClients(options: {
  books: readonly string[]
  faultNodes: readonly FaultNode[]
  history: History
  rng: Rng
}): Clients {
  const { books, faultNodes, history, rng } = options
  const checks = new Map<FaultNode, number>()
  const checking = new Set<Promise<void>>()
  let isRunning = true
  let isStopped = false
  let sequence = 0

  async function client(number: number): Promise<void> {
    const own = rng.fork(`client ${number}`)
    while (isRunning) {
      const value = `v${++sequence}`
      const write = history.begin(own.pick(books), value, own.chance(retryShare) ? `write-${value}` : undefined)
      await appendWrite(write, own.below(faultNodes.length))
      write.endedAt = performance.now()
      if (write.answer) for (const faultNode of faultNodes) findEntry(write, faultNode)
      await sleep(pauseMs)
    }
  }

  /** With an id the write is repeated, from node to node, until it is acknowledged; without one it is sent once. */
  async function appendWrite(write: Write, first: number): Promise<void> {
    const { book, value, id, tries } = write
    for (let attempt = 1; ; attempt++) {
      const faultNode = faultNodes[(first + attempt) % faultNodes.length]!
      const silences = tries.filter(({ how }) => how === 'silent').length
      const withinMs = Math.min(answerMaxMs, answerMs * 2 ** Math.floor(silences / faultNodes.length))
      const body = { value, attempt, id }
      const { how, answer, problem } = await call<Written>(faultNode, 'POST', `/books/${book}`, withinMs, body)
      tries.push({ node: faultNode.name, how })
      if (problem) history.violations.push(problem)
      if (answer) write.answer = answer
      if (answer || problem || isStopped || id === undefined) return
      await sleep(retryMs)
    }
  }

  function findEntry(write: Write, faultNode: FaultNode): void {
    const already = checks.get(faultNode) ?? 0
    if (already >= checksPerNode) return
    checks.set(faultNode, already + 1)
    const done = checkEntry(write, faultNode).finally(() => {
      checks.set(faultNode, checks.get(faultNode)! - 1)
      checking.delete(done)
    })
    checking.add(done)
  }

  async function checkEntry({ book, value, answer }: Write, faultNode: FaultNode): Promise<void> {
    const { place: at } = answer!
    const reply = await call<BookView>(faultNode, 'GET', `/books/${book}/${at}`, readMs)
    if (reply.problem) history.violations.push(reply.problem)
    if (!reply.answer) return
    const { count, entry } = reply.answer
    if (entry?.value === value && count >= at) return
    const actual = `${entry?.value ?? 'nothing'} at place ${at} of ${count}`
    history.violations.push(
      `${faultNode.name} showed ${actual} in ${book} after ${value} was acknowledged at that place`,
    )
  }

  const clients = Array.from({ length: clientCount }, (_, number) => client(number))
  return {
    async stop() {
      isRunning = false
      await Promise.all(clients)
      await Promise.all(checking)
    },
    leave() {
      isRunning = false
      isStopped = true
    },
  }
}
