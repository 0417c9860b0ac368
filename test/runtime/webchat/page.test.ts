/** What comes from one page: answered in its order, within its limits, and only once it is on record. */

import t from 'tap'
import { decodeFrame } from '../../../adapters/webchat/decoder.js'
import type { Inbound } from '../../../core/channel/inbound.js'
import type { ServerEvent } from '../../../core/channel/socketcodec.js'
import { type Refusal, refuse } from '../../../core/errors.js'
import { webchat as limits } from '../../../core/limits/index.js'
import { Page, type PageDeps } from '../../../runtime/webchat/page.js'
import { manualClock } from '../../harness/clock.js'

interface RecordedBatch {
  readonly items: readonly { id: string; inbound: Inbound }[]
  /** What the record answers. */
  answer(refusal?: Refusal): void
}

function openScene(over: Partial<PageDeps> = {}) {
  const clock = manualClock()
  const serverEvents: ServerEvent[] = []
  const batches: RecordedBatch[] = []
  const closes: number[] = []
  const spent = { allowed: true, limit: 1, remaining: 1, resetSeconds: 1, retryAfterSeconds: 3 }
  const page = new Page({
    ready: Promise.resolve(true),
    socket: { send: () => 'sent', bufferedBytes: () => 0, close: (code) => void closes.push(code) },
    codec: {
      read: decodeFrame,
      write: (event) => {
        serverEvents.push(event)
        return ''
      },
    },
    clock,
    receive: (items) => new Promise((resolve) => batches.push({ items, answer: resolve })),
    unmarked: async (_state, messageIds) => messageIds,
    backfill: async () => ({ kind: 'older', from: 1, entries: [], more: false }),
    spendBudget: async () => spent,
    hasStarted: () => true,
    onError: (error) => t.error(error),
    ...over,
  })
  const handleText = (text: string) => page.handle(text)
  const frame = (type: string, members: object = {}) => handleText(JSON.stringify({ v: 1, type, ...members }))
  return { clock, serverEvents, batches, closes, spent, handleText, frame }
}

const turns = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

t.test('A page gets older lines on request, or learns that they are unavailable now', async (t) => {
  const answers = [{ kind: 'older', from: 3, entries: [], more: true } as const, refuse('service.unavailable')]
  const cursors: number[] = []
  const { frame, serverEvents } = openScene({
    backfill: async (before) => {
      cursors.push(before)
      return answers.shift()!
    },
  })
  frame('older', { before: 7 })
  frame('older', { before: 3 })
  frame('older', { before: 0 })
  await turns()
  t.same(cursors, [7, 3])
  t.match(serverEvents, [
    { kind: 'older', from: 3 },
    { kind: 'error', code: 'unavailable', retryAfterMs: Number },
    { kind: 'error', code: 'invalidFrame', field: 'before' },
  ])
})

t.test('A frame is accepted when it is on record, and the next one waits for that', async (t) => {
  const { frame, serverEvents, batches } = openScene()
  frame('text', { id: 'a', text: 'One' })
  frame('text', { id: 'b', text: 'Two' })
  await turns()
  t.equal(batches.length, 1)
  t.same(serverEvents, [], 'no reply is sent before')
  batches[0]!.answer()
  await turns()
  t.same(serverEvents, [{ kind: 'accepted', id: 'a' }])
  t.match(batches[1]!.items, [{ id: 'b', inbound: { content: { text: 'Two' } } }])
})

t.test('A frame that could not be recorded has to be sent again under the same id', async (t) => {
  const { frame, serverEvents, batches } = openScene()
  frame('text', { id: 'a', text: 'One' })
  await turns()
  batches[0]!.answer(refuse('service.unavailable'))
  await turns()
  t.match(serverEvents, [{ kind: 'error', code: 'unavailable', id: 'a', retryAfterMs: Number }])
})

t.test('Frames before the admission wait, and are dropped if the page is refused', async (t) => {
  for (const isIn of [true, false]) {
    let decide: (isIn: boolean) => void = () => undefined
    const ready = new Promise<boolean>((resolve) => {
      decide = resolve
    })
    const { frame, batches } = openScene({ ready })
    frame('text', { id: 'a', text: 'One' })
    await turns()
    t.equal(batches.length, 0)
    decide(isIn)
    await turns()
    t.equal(batches.length, isIn ? 1 : 0)
  }
})

t.test('A visitor beyond the budget learns when to send the frame again', async (t) => {
  const scene = openScene({ spendBudget: async () => ({ ...scene.spent, allowed: false }) })
  scene.frame('text', { id: 'a', text: 'One' })
  await turns()
  t.match(scene.serverEvents, [{ kind: 'error', code: 'rateLimited', id: 'a', retryAfterMs: 3_000 }])
  t.equal(scene.batches.length, 0)
})

t.test('A page that sends faster than frames are accepted is told to slow down, and nothing accumulates', async (t) => {
  const { frame, serverEvents, batches, clock } = openScene()
  for (let n = 0; n < limits.frames.burstCalls + 5; n++) frame('text', { id: `n-${n}`, text: 'x' })
  t.equal(serverEvents.filter(({ kind }) => kind === 'error').length, 5)
  await clock.advance(10_000)
  for (let n = 0; n < limits.waitingFrames; n++) frame('text', { id: `m-${n}`, text: 'x' })
  await turns()
  t.equal(batches.length, 1, 'one at a time is on its way')
  const waiting = limits.frames.burstCalls + limits.waitingFrames
  t.ok(serverEvents.length >= 5 + waiting - limits.waitingFrames, 'and no more wait than may')
})

t.test('Typing is reported at most every few seconds, and not before there is a conversation', async (t) => {
  let hasBegun = false
  const { frame, batches, clock } = openScene({ hasStarted: () => hasBegun })
  frame('typing')
  await turns()
  t.equal(batches.length, 0)
  hasBegun = true
  for (let times = 0; times < 3; times++) {
    frame('typing')
    frame('typing')
    await turns()
    t.equal(batches.length, times + 1)
    batches[times]!.answer()
    await turns()
    await clock.advance(limits.typingEveryMs)
  }
  t.equal(new Set(batches.map(({ items }) => items[0]!.id)).size, 3)
})

t.test('A read message counts as delivered, and a mark has the same id from every page', async (t) => {
  const { frame, batches } = openScene({ unmarked: async (_state, ids) => ids.filter((id) => id !== 'known') })
  frame('read', { messageIds: ['msg_1', 'known'] })
  await turns()
  t.same(batches[0]!.items, [
    { id: 'delivered:msg_1', inbound: { kind: 'receipt', receipt: { providerId: 'msg_1', state: 'delivered' } } },
    { id: 'read:msg_1', inbound: { kind: 'receipt', receipt: { providerId: 'msg_1', state: 'read' } } },
  ])
  batches[0]!.answer()
  frame('read', { messageIds: ['known'] })
  await turns()
  t.equal(batches.length, 1, 'a known mark changes nothing')
})
