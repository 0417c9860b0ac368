/**
 * Cuts a message that is too large for the servers into frames, and puts frames together again. A message that fits
 * travels as it is, without a header.
 */

export const frameHeader = 'Parley-Frame'

/** The form of the header: frames of another are not understood and dropped. */
const version = '1'

export interface Frame {
  readonly body: Uint8Array
  /** Which message it belongs to, its place from 0, and of how many; absent when it is the whole message. */
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
 * Takes frames in any order, repeated or not, and answers the whole message with its last missing one. What stays
 * incomplete is dropped in time, or when there is too much of it, the oldest first.
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
    const place = placeOf(header)
    if (!place) return undefined
    let partial = partials.get(place.id)
    if (!partial) {
      dropOld()
      partial = { since: now(), count: place.count, frames: new Map(), bytes: 0 }
      partials.set(place.id, partial)
    }
    if (partial.count !== place.count || partial.frames.has(place.index)) return undefined
    partial.frames.set(place.index, body)
    partial.bytes += body.length
    const tooLong = partial.bytes > limits.messageBytes
    const whole = partial.frames.size === partial.count
    if (tooLong || whole) partials.delete(place.id)
    return whole && !tooLong ? inOrder(partial) : undefined
  }
}

function inOrder({ count, frames }: Partial): Uint8Array {
  return Buffer.concat(Array.from({ length: count }, (_, index) => frames.get(index)!))
}

function placeOf(header: string): { id: string; index: number; count: number } | undefined {
  const [form, id, index, count, ...rest] = header.split(' ')
  const place = { id: id ?? '', index: Number(index), count: Number(count) }
  const sound = form === version && place.id !== '' && rest.length === 0 && Number.isSafeInteger(place.count)
  return sound && Number.isSafeInteger(place.index) && place.index >= 0 && place.index < place.count ? place : undefined
}
