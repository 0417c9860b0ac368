/** Older lines for a page: in order, no more than it takes at a time, and never none while there are some. */
import fc from 'fast-check'
import t from 'tap'
import type { ServerEvent, TranscriptEvent } from '../../../core/channel/socketcodec.js'
import { refuse } from '../../../core/errors.js'
import { webchat as limits } from '../../../core/limits/index.js'
import { buildBackfill } from '../../../runtime/webchat/backfill.js'

type Older = Extract<ServerEvent, { kind: 'older' }>
const said = (cursor: number, bytes: number): TranscriptEvent => {
  return { kind: 'said', cursor, at: 0, id: `${cursor}`, content: { text: 'x'.repeat(bytes) } }
}
const write = (event: ServerEvent) => (event.kind === 'said' ? (event.content.text ?? '') : '')

/** A record whose lines have these sizes, under the cursors 1, 2 and so on. */
function endsOver(sizes: readonly number[]) {
  const transcript = sizes.map((bytes, at) => ({
    cursor: at + 1,
    at: 0,
    said: { id: `${at + 1}`, content: {}, bytes },
  }))
  return {
    async read(before: number) {
      const older = transcript.filter(({ cursor }) => cursor < before).reverse()
      const entries = older.slice(0, limits.linesPerRead)
      return { entries, scannedTo: entries.at(-1)?.cursor ?? 0, more: older.length > entries.length }
    },
    eventOf: async ({ cursor }: { cursor: number }) => said(cursor, sizes[cursor - 1]!),
    write,
  }
}

t.test('A page that keeps requesting gets every line once, in order, in pieces that fit', async (t) => {
  const size = fc.oneof(fc.nat(200), fc.nat(limits.bufferedBytes * 2))
  await fc.assert(
    fc.asyncProperty(fc.array(size, { maxLength: 60 }), async (sizes) => {
      const ends = endsOver(sizes)
      let cursors: number[] = []
      let before = sizes.length + 1
      for (let more = true; more; ) {
        const older = (await buildBackfill(ends, before)) as Older
        const bytes = older.entries.map((entry) => write(entry).length)
        const isFit = bytes.length <= 1 || bytes.reduce((sum, each) => sum + each, 0) <= limits.bufferedBytes
        t.ok(isFit && bytes.length <= limits.linesPerRead)
        t.ok(older.entries.length > 0 || !older.more)
        cursors = [...older.entries.map(({ cursor }) => cursor), ...cursors]
        before = older.from
        more = older.more
      }
      t.same(
        cursors,
        sizes.map((_, at) => at + 1),
      )
    }),
    { numRuns: 50 },
  )
})

t.test('An unreadable record, or a line that cannot be shown now, is a refusal', async (t) => {
  const ends = endsOver([1, 2, 3])
  const refusal = refuse('service.unavailable')
  t.same(await buildBackfill({ ...ends, read: async () => refusal }, 3), refusal)
  t.match(await buildBackfill({ ...ends, eventOf: async () => undefined }, 3), { refused: 'service.unavailable' })
})
