/** Reads and writes long bodies in worker threads. */
import { invalidFields } from '../../core/agent/index.js'
import { type Refusal, refuse, unavailable } from '../../core/errors.js'
import { agentDocument } from '../../core/limits/index.js'
import { BodyAssembler, type ReadBody } from './bodyreader.js'
import type { NoResult, Workers } from './contract.js'

type Shape = Pick<ReadBody, 'schema' | 'at' | 'as' | 'depth'>

export function createBodyClient(workers: Workers) {
  return {
    async read(
      owner: string,
      source: Uint8Array,
      type: 'json' | 'yaml',
      shape?: Shape,
    ): Promise<{ readonly value: unknown } | Refusal> {
      const maxBytes = type === 'yaml' ? agentDocument.yamlBytes : agentDocument.wholeBytes
      if (source.length > maxBytes)
        return refuse('request.too_large', { detail: `${type.toUpperCase()} is read up to ${maxBytes} bytes.` })
      const bytes = toTransferable(source)
      const assembler = new BodyAssembler()
      const outcome = await workers.run(owner, 'readBody', {
        input: { bytes, type, ...shape },
        onPart: assembler.onPart,
        transfer: [bytes.buffer],
      })
      if (outcome !== 'done') return refusalFor(outcome)
      return assembler.faults ? invalidFields(assembler.faults) : { value: assembler.value }
    },

    async writeYaml(owner: string, pieces: readonly string[]): Promise<Uint8Array | Refusal> {
      let written = new Uint8Array()
      const onPart = (part: Uint8Array) => {
        written = part as Uint8Array<ArrayBuffer>
      }
      const outcome = await workers.run(owner, 'writeYaml', {
        input: { jsonPieces: pieces, maxBytes: agentDocument.yamlBytes },
        onPart,
      })
      return outcome === 'done' ? written : refusalFor(outcome)
    },
  }
}

/** Short buffers share their memory with others, and cannot be transferred alone. */
function toTransferable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = bytes
  const ownsBuffer = buffer instanceof ArrayBuffer && byteOffset === 0 && length === buffer.byteLength
  return ownsBuffer ? new Uint8Array(buffer) : Uint8Array.from(bytes)
}

/** A body that takes too long or too much memory would do so again; a full queue is temporary. */
function refusalFor(outcome: NoResult): Refusal {
  if (outcome !== 'full')
    return refuse('request.too_large', { detail: 'The document takes too long to read or to write.' })
  return unavailable()
}
