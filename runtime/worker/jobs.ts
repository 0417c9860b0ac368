/** The jobs of the threads, by name. Each is a pure function whose result comes in parts. */
import { type BodyPart, type ReadBody, readBody } from './bodyreader.js'
import { writeYaml } from './yaml.js'

export interface Jobs {
  readonly readBody: { readonly input: ReadBody; readonly part: BodyPart }
  /** The same value as YAML, from JSON that comes in pieces. */
  readonly writeYaml: { readonly input: WriteYaml; readonly part: Uint8Array }
}

export interface WriteYaml {
  readonly jsonPieces: readonly string[]
  /** Text that is longer is written as JSON is, which is YAML too. */
  readonly maxBytes: number
}

export const jobs: { readonly [N in keyof Jobs]: (input: Jobs[N]['input']) => Iterable<Jobs[N]['part']> } = {
  readBody,
  *writeYaml({ jsonPieces, maxBytes }) {
    const json = jsonPieces.join('')
    const bytes = new TextEncoder().encode(writeYaml(JSON.parse(json)))
    yield bytes.length <= maxBytes ? bytes : new TextEncoder().encode(json)
  },
}
