/** Clients that write into books without end, each through any node, and look through every node for what was acknowledged. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rng } from '../sim/world/rng.js'
import type { Look, Written } from './books.js'
import { call } from './door.js'
import type { History, Write } from './history.js'
import type { Place } from './place.js'

export interface Clients {
  /** Begins nothing more, and resolves when everything begun has been acknowledged or given up. */
  stop(): Promise<void>
  /** Goes away at once. */
  leave(): void
}

const clientCount = 6
/** A client that hears nothing for this long asks another node; whenever all were silent it has twice the patience. */
const answerMs = 2_000
const answerMaxMs = 30_000
const againMs = 30
const restMs = 4
/** Looks may wait for a paused node to wake up, and then must not be told what was true before. */
const lookMs = 30_000
const looksPerNode = 12
const insistShare = 0.8

export function openClients(options: {
  books: readonly string[]
  places: readonly Place[]
  history: History
  rng: Rng
}): Clients {
  const { books, places, history, rng } = options
  const looks = new Map<Place, number>()
  const looking = new Set<Promise<void>>()
  let going = true
  let gone = false
  let serial = 0

  async function client(number: number): Promise<void> {
    const own = rng.fork(`client ${number}`)
    while (going) {
      const value = `v${++serial}`
      const write = history.begin(own.pick(books), value, own.chance(insistShare) ? `write-${value}` : undefined)
      await ask(write, own.below(places.length))
      write.endedAt = performance.now()
      if (write.answer) for (const place of places) lookFor(write, place)
      await sleep(restMs)
    }
  }

  /** With an id until it is acknowledged, from node to node; without one only once. */
  async function ask(write: Write, first: number): Promise<void> {
    const { book, value, id, tries } = write
    for (let attempt = 1; ; attempt++) {
      const place = places[(first + attempt) % places.length]!
      const silences = tries.filter(({ how }) => how === 'silent').length
      const withinMs = Math.min(answerMaxMs, answerMs * 2 ** Math.floor(silences / places.length))
      const body = { value, attempt, id }
      const { how, answer, wrong } = await call<Written>(place, 'POST', `/books/${book}`, withinMs, body)
      tries.push({ node: place.name, how })
      if (wrong) history.wrongs.push(wrong)
      if (answer) write.answer = answer
      if (answer || wrong || gone || id === undefined) return
      await sleep(againMs)
    }
  }

  function lookFor(write: Write, place: Place): void {
    const already = looks.get(place) ?? 0
    if (already >= looksPerNode) return
    looks.set(place, already + 1)
    const done = look(write, place).finally(() => {
      looks.set(place, looks.get(place)! - 1)
      looking.delete(done)
    })
    looking.add(done)
  }

  async function look({ book, value, answer }: Write, place: Place): Promise<void> {
    const { place: at } = answer!
    const told = await call<Look>(place, 'GET', `/books/${book}/${at}`, lookMs)
    if (told.wrong) history.wrongs.push(told.wrong)
    if (!told.answer) return
    const { count, entry } = told.answer
    if (entry?.value === value && count >= at) return
    const shown = `${entry?.value ?? 'nothing'} at place ${at} of ${count}`
    history.wrongs.push(`${place.name} showed ${shown} in ${book} after ${value} was acknowledged at that place`)
  }

  const clients = Array.from({ length: clientCount }, (_, number) => client(number))
  return {
    async stop() {
      going = false
      await Promise.all(clients)
      await Promise.all(looking)
    },
    leave() {
      going = false
      gone = true
    },
  }
}
