/** Seeded randomness: the same seed draws the same numbers, and each part of the world has a stream of its own. */

export interface Rng {
  /** From 0 up to but not including 1. */
  next(): number
  /** An integer from 0 up to but not including `below`. */
  below(below: number): number
  /** A number from `min` to `max`. */
  between(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  shuffle<T>(items: readonly T[]): T[]
  /** An independent stream: its draws do not affect this one. */
  fork(name: string): Rng
}

export function seededRng(seed: string | number): Rng {
  const path = String(seed)
  let [a, b, c, counter] = hashText(path)

  /** sfc32, by Chris Doty-Humphrey. */
  function next(): number {
    const sum = (((a! + b!) | 0) + counter!) | 0
    counter = (counter! + 1) | 0
    a = b! ^ (b! >>> 9)
    b = (c! + (c! << 3)) | 0
    c = ((c! << 21) | (c! >>> 11)) + sum
    return (sum >>> 0) / 2 ** 32
  }
  for (let warm = 0; warm < 12; warm++) next()

  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    between: (min, max) => min + next() * (max - min),
    chance: (probability) => next() < probability,
    pick(items) {
      if (items.length === 0) throw new Error('there is nothing to pick from')
      return items[below(items.length)]!
    },
    shuffle(items) {
      const mixed = [...items]
      for (let end = mixed.length - 1; end > 0; end--) {
        const other = below(end + 1)
        const swapped = mixed[end]!
        mixed[end] = mixed[other]!
        mixed[other] = swapped
      }
      return mixed
    },
    fork: (name) => seededRng(`${path}/${name}`),
  }
}

/** Four words of FNV-1a, each with its own start value. */
function hashText(text: string): number[] {
  return [0x811c9dc5, 0x01000193, 0x9e3779b9, 0x85ebca6b].map((start) => {
    let hash = start
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    return hash ^ (hash >>> 15)
  })
}
