/** Long bodies, read and written in the threads. */
import { invalidFields } from '../../core/agent/index.js'
import { type Refusal, refuse } from '../../core/errors.js'
import { agentDocument, http } from '../../core/limits.js'
import { Assembled, type ReadBody } from './body.js'
import type { NoResult, Workers } from './contract.js'

type Shape = Pick<ReadBody, 'schema' | 'at' | 'as' | 'depth'>

export function openBodies(workers: Workers) {
  return {
    async read(
      owner: string,
      given: Uint8Array,
      type: 'json' | 'yaml',
      shape?: Shape,
    ): Promise<{ readonly value: unknown } | Refusal> {
      const most = type === 'yaml' ? agentDocument.yamlBytes : agentDocument.wholeBytes
      if (given.length > most)
        return refuse('request.too_large', { detail: `${type.toUpperCase()} is read up to ${most} bytes.` })
      const bytes = movable(given)
      const assembled = new Assembled()
      const outcome = await workers.run(owner, 'readBody', {
        input: { bytes, type, ...shape },
        take: assembled.take,
        move: [bytes.buffer],
      })
      if (outcome !== 'done') return noResult(outcome)
      return assembled.faults ? invalidFields(assembled.faults) : { value: assembled.value }
    },

    async writeYaml(owner: string, pieces: readonly string[]): Promise<Uint8Array | Refusal> {
      let written = new Uint8Array()
      const take = (part: Uint8Array) => {
        written = part as Uint8Array<ArrayBuffer>
      }
      const outcome = await workers.run(owner, 'writeYaml', {
        input: { pieces, mostBytes: agentDocument.yamlBytes },
        take,
      })
      return outcome === 'done' ? written : noResult(outcome)
    },
  }
}

/** Short buffers share their memory with others, and cannot be moved by themselves. */
function movable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = bytes
  const isAlone = buffer instanceof ArrayBuffer && byteOffset === 0 && length === buffer.byteLength
  return isAlone ? new Uint8Array(buffer) : Uint8Array.from(bytes)
}

/** A body that takes too long or too much memory would do so again; a queue that is full will not be. */
function noResult(why: NoResult): Refusal {
  if (why !== 'full') return refuse('request.too_large', { detail: 'The document takes too long to read or to write.' })
  return refuse('service.unavailable', { headers: { 'retry-after': String(http.retryAfterSeconds) } })
}
