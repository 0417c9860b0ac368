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
const againMs = 30
const restMs = 4
/** Reads may wait for a paused node to resume, and must then not return the state from before the pause. */
const lookMs = 30_000
const looksPerNode = 12
const retryShare = 0.8

export function openClients(options: {
  books: readonly string[]
  faultNodes: readonly FaultNode[]
  history: History
  rng: Rng
}): Clients {
  const { books, faultNodes, history, rng } = options
  const looks = new Map<FaultNode, number>()
  const looking = new Set<Promise<void>>()
  let isRunning = true
  let isStopped = false
  let serial = 0

  async function client(number: number): Promise<void> {
    const own = rng.fork(`client ${number}`)
    while (isRunning) {
      const value = `v${++serial}`
      const write = history.begin(own.pick(books), value, own.chance(retryShare) ? `write-${value}` : undefined)
      await ask(write, own.below(faultNodes.length))
      write.endedAt = performance.now()
      if (write.answer) for (const faultNode of faultNodes) findEntry(write, faultNode)
      await sleep(restMs)
    }
  }

  /** With an id the write is repeated, from node to node, until it is acknowledged; without one it is sent once. */
  async function ask(write: Write, first: number): Promise<void> {
    const { book, value, id, tries } = write
    for (let attempt = 1; ; attempt++) {
      const faultNode = faultNodes[(first + attempt) % faultNodes.length]!
      const silences = tries.filter(({ how }) => how === 'silent').length
      const withinMs = Math.min(answerMaxMs, answerMs * 2 ** Math.floor(silences / faultNodes.length))
      const body = { value, attempt, id }
      const { how, answer, wrong } = await call<Written>(faultNode, 'POST', `/books/${book}`, withinMs, body)
      tries.push({ node: faultNode.name, how })
      if (wrong) history.wrongs.push(wrong)
      if (answer) write.answer = answer
      if (answer || wrong || isStopped || id === undefined) return
      await sleep(againMs)
    }
  }

  function findEntry(write: Write, faultNode: FaultNode): void {
    const already = looks.get(faultNode) ?? 0
    if (already >= looksPerNode) return
    looks.set(faultNode, already + 1)
    const done = look(write, faultNode).finally(() => {
      looks.set(faultNode, looks.get(faultNode)! - 1)
      looking.delete(done)
    })
    looking.add(done)
  }

  async function look({ book, value, answer }: Write, faultNode: FaultNode): Promise<void> {
    const { place: at } = answer!
    const told = await call<BookView>(faultNode, 'GET', `/books/${book}/${at}`, lookMs)
    if (told.wrong) history.wrongs.push(told.wrong)
    if (!told.answer) return
    const { count, entry } = told.answer
    if (entry?.value === value && count >= at) return
    const shown = `${entry?.value ?? 'nothing'} at place ${at} of ${count}`
    history.wrongs.push(`${faultNode.name} showed ${shown} in ${book} after ${value} was acknowledged at that place`)
  }

  const clients = Array.from({ length: clientCount }, (_, number) => client(number))
  return {
    async stop() {
      isRunning = false
      await Promise.all(clients)
      await Promise.all(looking)
    },
    leave() {
      isRunning = false
      isStopped = true
    },
  }
}
