/** Older transcript lines on request of a page: as many as fit into one frame, and at least the newest of them. */
import type { ServerEvent, TranscriptEvent } from '../../core/channel/socketcodec.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { webchat as limits } from '../../core/limits/index.js'
import type { TranscriptEntry } from './render.js'
import type { BackfillPage } from './transcript.js'

export interface BackfillDeps {
  readonly read: (before: number) => Promise<BackfillPage | Refusal>
  readonly eventOf: (entry: TranscriptEntry) => Promise<TranscriptEvent | undefined>
  readonly write: (event: ServerEvent) => string
}

export async function buildBackfill(
  { read, eventOf, write }: BackfillDeps,
  before: number,
): Promise<ServerEvent | Refusal> {
  const page = await read(before)
  if (isRefusal(page)) return page
  const entries: TranscriptEvent[] = []
  let bytes = 0
  for (const entry of page.entries) {
    const event = await eventOf(entry)
    if (!event) return refuse('service.unavailable')
    bytes += Buffer.byteLength(write(event))
    const [oldest] = entries
    if (oldest && bytes > limits.bufferedBytes) return { kind: 'older', from: oldest.cursor, entries, more: true }
    entries.unshift(event)
  }
  return { kind: 'older', from: page.scannedTo, entries, more: page.more }
}
