/** The walk through a flow as a graph: steps nobody comes to, loops nobody leaves, loops in which nothing can change. */
import { type AnyStep, nextPlaces, placesOf } from '../flows/steps.js'

export interface Walked {
  readonly unreachable: readonly number[]
  /** Steps from which no end can be reached, the first of each loop. */
  readonly endless: readonly number[]
  /** Steps that lead back to themselves with nothing asked or done on the way. */
  readonly idle: readonly number[]
}

export function walkFlow(steps: readonly AnyStep[]): Walked {
  const placeOf = placesOf(steps)
  const next = steps.map((_, place) => nextPlaces(steps, place, placeOf))
  const reached = reachFrom([0], next, steps.length)
  const back: number[][] = steps.map(() => [])
  const ends: number[] = []
  next.forEach((places, place) => {
    if (places.length === 0 || places.includes(steps.length)) ends.push(place)
    for (const target of places) back[target]?.push(place)
  })
  const leaving = reachFrom(ends, back, steps.length)
  const stuck = steps.map((_, place) => place).filter((place) => reached.has(place) && !leaving.has(place))
  return {
    unreachable: steps.map((_, place) => place).filter((place) => !reached.has(place)),
    endless: firstOfEach(stuck, next, steps.length),
    idle: idleLoops(steps, next, reached),
  }
}

function reachFrom(starts: readonly number[], next: readonly (readonly number[])[], length: number): Set<number> {
  const reached = new Set<number>()
  const open = starts.filter((place) => place < length)
  while (open.length > 0) {
    const place = open.pop()!
    if (reached.has(place)) continue
    reached.add(place)
    for (const target of next[place] ?? []) if (target < length) open.push(target)
  }
  return reached
}

/** Of places that lead to each other only the first is told. */
function firstOfEach(places: readonly number[], next: readonly (readonly number[])[], length: number): number[] {
  const told = new Set<number>()
  return places.filter((place) => {
    if (told.has(place)) return false
    for (const each of reachFrom([place], next, length)) told.add(each)
    return true
  })
}

/** A branch decides by what was collected or done: a circle of steps that do neither always decides the same. */
function idleLoops(
  steps: readonly AnyStep[],
  next: readonly (readonly number[])[],
  reached: ReadonlySet<number>,
): number[] {
  const isIdle = ({ collect, action, call }: AnyStep) =>
    collect === undefined && action === undefined && call === undefined
  const idle = next.map((places, place) =>
    isIdle(steps[place]!) ? places.filter((target) => target < steps.length) : [],
  )
  const state = new Map<number, 'open' | 'done'>()
  const found: number[] = []
  for (const start of reached) {
    if (state.has(start)) continue
    const trail: { place: number; ways: number[] }[] = [{ place: start, ways: [...idle[start]!] }]
    state.set(start, 'open')
    while (trail.length > 0) {
      const here = trail.at(-1)!
      const target = here.ways.pop()
      if (target === undefined) {
        state.set(here.place, 'done')
        trail.pop()
      } else if (state.get(target) === 'open') found.push(target)
      else if (!state.has(target)) {
        state.set(target, 'open')
        trail.push({ place: target, ways: [...idle[target]!] })
      }
    }
  }
  return [...new Set(found)].sort((one, other) => one - other)
}

/** Of things that name others, those that lie on a circle; each node and each edge is looked at once. */
export function circles(next: ReadonlyMap<string, readonly string[]>): string[][] {
  const state = new Map<string, 'open' | 'done'>()
  const found: string[][] = []
  for (const start of next.keys()) {
    if (state.has(start)) continue
    const trail: { name: string; ways: string[] }[] = [{ name: start, ways: [...next.get(start)!] }]
    state.set(start, 'open')
    while (trail.length > 0) {
      const here = trail.at(-1)!
      const target = here.ways.pop()
      if (target === undefined) {
        state.set(here.name, 'done')
        trail.pop()
      } else if (state.get(target) === 'open') {
        found.push(trail.slice(trail.findIndex(({ name }) => name === target)).map(({ name }) => name))
      } else if (!state.has(target) && next.has(target)) {
        state.set(target, 'open')
        trail.push({ name: target, ways: [...next.get(target)!] })
      }
    }
  }
  return found
}
