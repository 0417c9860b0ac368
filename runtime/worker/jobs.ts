/** The jobs of the threads, by name. Each is a pure function whose result comes in parts. */
import { type BusyRequest, type BusyTimes, busyIntervals } from '../../core/calendar/busytimes.js'
import { type BodyPart, type ReadBody, readBody } from './bodyreader.js'
import { writeYaml } from './yaml.js'

export interface Jobs {
  readonly readBody: { readonly input: ReadBody; readonly part: BodyPart }
  /** Writes the value of a JSON text in pieces as YAML. */
  readonly writeYaml: { readonly input: WriteYaml; readonly part: Uint8Array }
  readonly readBusyTimes: { readonly input: BusyRequest; readonly part: BusyTimes | undefined }
}

export interface WriteYaml {
  readonly jsonPieces: readonly string[]
  /** A longer text is written as JSON, which is also valid YAML. */
  readonly maxBytes: number
}

export const jobs: { readonly [N in keyof Jobs]: (input: Jobs[N]['input']) => Iterable<Jobs[N]['part']> } = {
  readBody,
  *writeYaml({ jsonPieces, maxBytes }) {
    const json = jsonPieces.join('')
    const bytes = new TextEncoder().encode(writeYaml(JSON.parse(json)))
    yield bytes.length <= maxBytes ? bytes : new TextEncoder().encode(json)
  },
  *readBusyTimes(request) {
    yield busyIntervals(request)
  },
}
