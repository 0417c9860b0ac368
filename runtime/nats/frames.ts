/**
 * Cuts a message that is too large for the servers into frames, and reassembles frames. A message that fits travels as
 * it is, without a header.
 */

export const frameHeader = 'Parley-Frame'

/** The version of the header; frames of another version are dropped. */
const version = '1'

export interface Frame {
  readonly body: Uint8Array
  /**
   * The id of the message, the index of the frame from 0, and the number of frames; absent when the frame is the whole
   * message.
   */
  readonly header?: string
}

export function framesOf(body: Uint8Array, frameBytes: number, makeId: () => string): Frame[] {
  if (body.length <= frameBytes) return [{ body }]
  const id = makeId()
  const count = Math.ceil(body.length / frameBytes)
  return Array.from({ length: count }, (_, index) => ({
    body: body.subarray(index * frameBytes, (index + 1) * frameBytes),
    header: [version, id, index, count].join(' '),
  }))
}

export interface AssemblyLimits {
  readonly messageBytes: number
  readonly partialMessages: number
  readonly partialMs: number
}

interface Partial {
  readonly since: number
  readonly count: number
  readonly frames: Map<number, Uint8Array>
  bytes: number
}

/**
 * Takes frames in any order, repeated or not, and returns the whole message with its last missing one. Incomplete
 * messages are dropped after a time, or when they exceed a limit, the oldest first.
 */
export function createAssembly(limits: AssemblyLimits, now: () => number): (frame: Frame) => Uint8Array | undefined {
  const partials = new Map<string, Partial>()

  function dropOld(): void {
    for (const [id, { since }] of partials) {
      if (partials.size < limits.partialMessages && now() - since < limits.partialMs) return
      partials.delete(id)
    }
  }

  return ({ body, header }) => {
    if (!header) return body
    const position = parseHeader(header)
    if (!position) return undefined
    let partial = partials.get(position.id)
    if (!partial) {
      dropOld()
      partial = { since: now(), count: position.count, frames: new Map(), bytes: 0 }
      partials.set(position.id, partial)
    }
    if (partial.count !== position.count || partial.frames.has(position.index)) return undefined
    partial.frames.set(position.index, body)
    partial.bytes += body.length
    const isTooLong = partial.bytes > limits.messageBytes
    const isComplete = partial.frames.size === partial.count
    if (isTooLong || isComplete) partials.delete(position.id)
    return isComplete && !isTooLong ? joinFrames(partial) : undefined
  }
}

function joinFrames({ count, frames }: Partial): Uint8Array {
  return Buffer.concat(Array.from({ length: count }, (_, index) => frames.get(index)!))
}

function parseHeader(header: string): { id: string; index: number; count: number } | undefined {
  const [form, id, index, count, ...rest] = header.split(' ')
  const position = { id: id ?? '', index: Number(index), count: Number(count) }
  const isValid = form === version && position.id !== '' && rest.length === 0 && Number.isSafeInteger(position.count)
  return isValid && Number.isSafeInteger(position.index) && position.index >= 0 && position.index < position.count
    ? position
    : undefined
}
