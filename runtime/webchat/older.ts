/** Lines that a page asks for because it shows none so old: as many as it takes in one go, the newest of them for certain. */
import type { LineTelling, Telling } from '../../core/channel/live.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { webchat as limits } from '../../core/limits.js'
import type { ToldLine } from './lines.js'
import type { OlderFound } from './transcript.js'

export interface OlderEnds {
  readonly read: (before: number) => Promise<OlderFound | Refusal>
  readonly tellingOf: (line: ToldLine) => Promise<LineTelling | undefined>
  readonly write: (telling: Telling) => string
}

export async function tellOlder({ read, tellingOf, write }: OlderEnds, before: number): Promise<Telling | Refusal> {
  const found = await read(before)
  if (isRefusal(found)) return found
  const lines: LineTelling[] = []
  let bytes = 0
  for (const line of found.lines) {
    const telling = await tellingOf(line)
    if (!telling) return refuse('service.unavailable')
    bytes += Buffer.byteLength(write(telling))
    const [oldest] = lines
    if (oldest && bytes > limits.bufferedBytes) return { kind: 'older', from: oldest.cursor, lines, more: true }
    lines.unshift(telling)
  }
  return { kind: 'older', from: found.downTo, lines, more: found.more }
}
