/** Search of things by what they are called and what is said of them. */
import type { AgentDocument } from '../agent/document.js'
import { searchWords } from './searchwords.js'
import { createWordIndex } from './wordindex.js'

export type Thing = AgentDocument['things'][number]

export interface ThingHit {
  readonly thing: Thing
  readonly score: number
}

/** An index that grows by one thing at a time, so that a caller may pause between them. */
export interface ThingIndex {
  add(thing: Thing): void
  /** Best first. */
  rank(query: string, limit: number): ThingHit[]
}

/** A word of the name counts as if the description had it so many times. */
const nameFactor = 3

export function createThingIndex(): ThingIndex {
  const things: Thing[] = []
  const index = createWordIndex()
  return {
    add(thing) {
      const name = searchWords(thing.name)
      const rest = searchWords(textOfThing(thing))
      index.add([...Array.from({ length: nameFactor }, () => name).flat(), ...rest])
      things.push(thing)
    },
    rank: (query, limit) =>
      index.rank(searchWords(query), limit).map(({ entry, score }) => ({ thing: things[entry]!, score })),
  }
}

/** What is said of a thing besides its name. */
function textOfThing({ description = '', metadata = {} }: Thing): string {
  return [description, ...Object.values(metadata)].join('\n')
}
