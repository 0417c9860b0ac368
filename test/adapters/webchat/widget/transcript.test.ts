/** What a tab knows of its conversation, whatever order frames come in and however often the line breaks. */
import fc from 'fast-check'
import t from 'tap'
import type { EntryFrame, ServerFrame } from '../../../../adapters/webchat/frames.js'
import {
  type AgentEntry,
  addOutgoing,
  answerOf,
  applyFrame,
  emptyTranscript,
  markFailed,
  markRead,
  resetForVisitor,
  retryEntry,
  startLoadingOlder,
  type Transcript,
  unreadEntries,
  unsentFrames,
} from '../../../../adapters/webchat/widget/transcript.js'

const at = '2026-03-01T12:00:00.000Z'
const message = (cursor: number): ServerFrame => ({
  v: 1,
  type: 'message',
  cursor,
  messageId: `m${cursor}`,
  at,
  state: 'sent',
  blocks: [{ kind: 'text', text: `line ${cursor}` }],
})
const back = (cursor: number, id: string): ServerFrame => ({ v: 1, type: 'said', cursor, id, at, text: id })
const welcome = (cursor: number, more: boolean): ServerFrame => {
  return { v: 1, type: 'welcome', visitorId: 'vis_1', cursor, more, pingEveryMs: 20_000 }
}
const older = (from: number, lines: EntryFrame[], more: boolean): ServerFrame => {
  return { v: 1, type: 'older', from, lines, more }
}
const text = (id: string) => ({ v: 1, type: 'text', id, text: id }) as const
const applyFrames = (transcript: Transcript, ...frames: ServerFrame[]) =>
  frames.reduce((before, frame) => applyFrame(before, frame, 0), transcript)
const keys = ({ entries: lines }: Transcript) => lines.map(({ key }) => key)

t.test('No line is lost or duplicated, however often the connection breaks', async (t) => {
  // The record holds lines of both sides; after each break the page is told everything behind its cursor again.
  const step = fc.oneof(
    fc.record({ do: fc.constant('agent' as const) }),
    fc.record({ do: fc.constant('visitor' as const), isTaken: fc.boolean(), isAnswered: fc.boolean() }),
    fc.record({ do: fc.constant('break' as const), overlap: fc.nat(3) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const record: ServerFrame[] = []
      const waiting: string[] = []
      let transcript = emptyTranscript
      let count = 0
      const acceptMessage = (id: string) => {
        if (!record.some((frame) => frame.type === 'said' && frame.id === id)) record.push(back(record.length + 1, id))
      }
      const resume = (overlap: number) => {
        const after = Math.max(0, (transcript.cursor ?? 0) - overlap)
        transcript = applyFrames(transcript, ...record.slice(after))
        for (const { id } of unsentFrames(transcript)) {
          acceptMessage(id)
          transcript = applyFrames(transcript, { v: 1, type: 'accepted', id }, ...record.slice(transcript.cursor ?? 0))
        }
      }
      for (const each of steps) {
        if (each.do === 'agent') {
          record.push(message(record.length + 1))
          transcript = applyFrames(transcript, ...record.slice(transcript.cursor ?? 0))
        } else if (each.do === 'visitor') {
          const id = `own${count++}`
          waiting.push(id)
          transcript = addOutgoing(transcript, text(id), at)
          if (each.isTaken) acceptMessage(id)
          if (each.isTaken && each.isAnswered) transcript = applyFrames(transcript, { v: 1, type: 'accepted', id })
        } else resume(each.overlap)
      }
      resume(0)
      const expected = record.map((frame) =>
        frame.type === 'said' ? frame.id : `m${(frame as { cursor: number }).cursor}`,
      )
      t.same(keys(transcript), expected)
      t.ok(waiting.every((id) => expected.includes(id)))
      t.same(unsentFrames(transcript), [])
    }),
  )
})

t.test('Older lines are inserted at their positions, each once, whatever arrives meanwhile', async (t) => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('older' as const), lines: fc.integer({ min: 1, max: 7 }) }),
    fc.constant({ do: 'agent' as const }),
    fc.constant({ do: 'break' as const }),
  )
  fc.assert(
    fc.property(fc.nat(30), fc.nat(30), fc.array(step, { maxLength: 30 }), (before, shownCount, steps) => {
      const record = Array.from({ length: before + shownCount }, (_, at) => message(at + 1))
      let transcript = applyFrames(emptyTranscript, welcome(record.length, before > 0), ...record.slice(before))
      transcript = applyFrames(transcript, { v: 1, type: 'caughtUp', cursor: record.length })
      for (const each of steps) {
        if (each.do === 'older') {
          const end = transcript.oldest! - 1
          const start = Math.max(0, end - each.lines)
          const lines = record.slice(start, end) as EntryFrame[]
          if (transcript.more)
            transcript = applyFrames(startLoadingOlder(transcript), older(start + 1, lines, start > 0))
        } else if (each.do === 'agent') {
          record.push(message(record.length + 1))
          transcript = applyFrames(transcript, record.at(-1)!)
        } else {
          transcript = applyFrames(startLoadingOlder(transcript), welcome(record.length, false))
          t.equal(transcript.isLoadingOlder, false, 'a request for older lines ends with the connection')
        }
      }
      const { oldest = 0 } = transcript
      t.same(
        keys(transcript),
        record.slice(oldest - 1).map((_, at) => `m${oldest + at}`),
      )
      t.equal(transcript.more, oldest > 1)
    }),
  )
})

t.test('A pending message is shown last until it is on record, and then at its position', async (t) => {
  const sending = addOutgoing(applyFrames(emptyTranscript, message(1)), text('mine'), at)
  const between = applyFrames(sending, message(2))
  t.same(keys(between), ['m1', 'm2', 'mine'])
  t.same(keys(applyFrames(sending, back(2, 'mine'), message(3))), ['m1', 'mine', 'm3'])
  t.same(keys(applyFrames(sending, { v: 1, type: 'accepted', id: 'mine' }, message(2))), ['m1', 'm2', 'mine'])
})

t.test('A line is sending, then sent; an unreadable one has failed until it is retried', async (t) => {
  const stateOf = ({ entries: lines }: Transcript) => lines[0]?.state
  const sending = addOutgoing(emptyTranscript, text('mine'), at)
  t.equal(stateOf(sending), 'sending')
  t.equal(stateOf(applyFrames(sending, { v: 1, type: 'accepted', id: 'mine' })), 'sent')
  const later = { v: 1, type: 'error', message: '', id: 'mine' } as const
  t.equal(stateOf(applyFrames(sending, { ...later, code: 'rateLimited' })), 'sending', 'it will be sent again')
  const refused = applyFrames(sending, { ...later, code: 'invalidFrame' })
  t.equal(stateOf(refused), 'failed')
  t.same(unsentFrames(refused), [])
  t.same(unsentFrames(retryEntry(refused, 'mine')), [text('mine')], 'under the same id')
  const sent = applyFrames(sending, { v: 1, type: 'accepted', id: 'mine' })
  t.equal(stateOf(markFailed(sent, 'mine')), 'sent', 'a recorded line can no longer fail')
})

t.test('Any line of the visitor answers the message above it, and a followed link does not', async (t) => {
  const transcriptBefore = applyFrames(emptyTranscript, message(1))
  const line = (transcript: Transcript) => transcript.entries[0] as AgentEntry
  const tap = { v: 1, type: 'tap', id: 'tap', tap: 'p1.m1.0' } as const
  t.equal(answerOf(transcriptBefore, line(transcriptBefore)), undefined)
  const followed = addOutgoing(transcriptBefore, tap, at)
  t.equal(answerOf(followed, line(followed)), undefined)
  const tapped = addOutgoing(transcriptBefore, tap, at, 'Green room')
  t.equal(answerOf(tapped, line(tapped))?.text, 'Green room')
  const typed = applyFrames(addOutgoing(transcriptBefore, text('green please'), at), message(2))
  t.equal(answerOf(typed, line(typed))?.text, 'green please')
  const newer = applyFrames(applyFrames(transcriptBefore, back(2, 'mine')), message(3))
  t.equal(answerOf(newer, newer.entries[2] as AgentEntry), undefined, 'a line before a message does not answer it')
})

t.test('Another visitor sees nothing of the transcript, and still sends the unsent messages', async (t) => {
  const transcript = addOutgoing(applyFrames(emptyTranscript, message(1), back(2, 'old')), text('new'), at)
  const next = resetForVisitor(transcript)
  t.same(keys(next), ['new'])
  t.equal(next.cursor, undefined)
  t.same(unsentFrames(next), [text('new')])
})

t.test('A message is unread until it was seen in any tab', async (t) => {
  const transcript = applyFrames(emptyTranscript, message(1), message(2))
  t.same(
    unreadEntries(markRead(transcript, new Set(['m1']))).map(({ messageId }) => messageId),
    ['m2'],
  )
  t.equal(markRead(transcript, new Set(['other'])), transcript, 'an unknown line changes nothing')
})

t.test('The typing indicator ends with a message of the agent, or after its time', async (t) => {
  const writing = applyFrame(emptyTranscript, { v: 1, type: 'typing', forMs: 20_000 }, 1_000)
  t.equal(writing.typingUntil, 21_000)
  t.equal(applyFrames(writing, message(1)).typingUntil, 0)
})
