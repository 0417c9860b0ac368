/** Inputs drawn from a seed and held to a promise: each has a number, and seed and number bring it back. */
import { type Rng, seededRng } from '../../sim/world/rng.js'

export interface Target<Input> {
  readonly name: string
  draw(rng: Rng): Input
  /** Throws when the promise is broken; says whether the input was one that is accepted. */
  check(input: Input): boolean
}

export interface Outcome {
  readonly inputs: number
  readonly accepted: number
  readonly failure?: { readonly number: number; readonly input: string; readonly error: unknown }
}

export interface FuzzOptions {
  readonly seed: number
  readonly inputs: number
  /** Only the input of this number. */
  readonly only?: number | undefined
}

/** Ends with the first input that breaks the promise. */
export function fuzz<Input>(target: Target<Input>, { seed, inputs, only }: FuzzOptions): Outcome {
  let accepted = 0
  const first = only ?? 0
  const last = only ?? inputs - 1
  for (let number = first; number <= last; number++) {
    const input = target.draw(seededRng(`${seed}/${target.name}/${number}`))
    try {
      if (target.check(input)) accepted++
    } catch (error) {
      return { inputs: number - first + 1, accepted, failure: { number, input: JSON.stringify(input), error } }
    }
  }
  return { inputs: last - first + 1, accepted }
}

/** A text changed as hands and broken pipes change it, with pieces that mean something in its language. */
export function mutateText(rng: Rng, text: string, tokens: readonly string[], others: readonly string[]): string {
  const from = rng.below(text.length + 1)
  const end = Math.min(text.length, from + rng.below(rng.chance(0.1) ? text.length + 1 : 12))
  const [before, piece, after] = [text.slice(0, from), text.slice(from, end), text.slice(end)]
  switch (rng.below(8)) {
    case 0:
      return before + after
    case 1:
      return before + piece + piece + after
    case 2:
      return before + rng.pick(tokens) + after
    case 3:
      return before + rng.pick(tokens) + piece + after
    case 4:
      return before + String.fromCharCode(rng.below(rng.chance(0.5) ? 0x80 : 0x10000)) + after
    case 5:
      return rng.chance(0.3) ? before : before + rng.pick(others).slice(rng.below(40))
    case 6:
      return rng.shuffle(text.split('\n')).join('\n')
    default: {
      const bytes = Buffer.from(text)
      if (bytes.length > 0) bytes[rng.below(bytes.length)] = rng.below(256)
      return bytes.toString(rng.chance(0.8) ? 'utf8' : 'latin1')
    }
  }
}
