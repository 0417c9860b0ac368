/** What records make of the session they belong to, and what is kept of it. */

import fc from 'fast-check'
import t from 'tap'
import type { TrafficEntry } from '../../../core/conversation/entry.js'
import {
  advanceSession,
  previewOf,
  type SessionProgress,
  type SessionStep,
} from '../../../core/conversation/history.js'
import { traffic as limits } from '../../../core/limits/index.js'

const markMs = 1_000
const types = ['content', 'status', 'action'] as const
const entryOf = (sessionId: string, type: TrafficEntry['type'], text = 'Hello'): TrafficEntry => {
  return { origin: 'user', type, sessionId, messageId: 'inb_1', text }
}

/** Walks over records that lie so far apart, and gives every step that was made. */
function walk(records: readonly { entry: TrafficEntry; waitMs: number }[]): { at: number; step: SessionStep }[] {
  let at = 0
  let session: SessionProgress | undefined
  return records.flatMap(({ entry, waitMs }) => {
    at += waitMs
    const step = advanceSession(session, entry, at, markMs)
    session = step?.session ?? session
    return step ? [{ at, step }] : []
  })
}

const record = fc.record({
  entry: fc.tuple(fc.constantFrom('one', 'two', ''), fc.constantFrom(...types)).map(([id, type]) => entryOf(id, type)),
  waitMs: fc.integer({ min: 0, max: markMs }),
})

t.test(
  'For any records, a session counts its content, begins with its first and ends with its last record',
  async () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 40 }), (records) => {
        const steps = walk(records)
        for (const [nth, { at, step }] of steps.entries()) {
          const before = steps[nth - 1]?.step.session
          const isNew = before?.id !== step.session.id
          const ok =
            step.session.lastAt === at &&
            (step.started !== undefined) === isNew &&
            (!isNew ||
              (step.started!.startedAt === at && step.started!.previous === before?.id && step.ended === before)) &&
            (isNew || step.session.messageCount - before!.messageCount <= 1)
          if (!ok) throw new Error(JSON.stringify({ before, at, step }))
        }
        const counted = steps.reduce((sum, { step }, nth) => {
          const next = steps[nth + 1]?.step
          return !next || next.started ? sum + step.session.messageCount : sum
        }, 0)
        const content = records.filter(({ entry }) => entry.type === 'content' && entry.sessionId !== '').length
        if (counted !== content) throw new Error(`${counted} of ${content} counted`)
      }),
    )
  },
)

t.test('A long session writes marks, and each record lies within one mark of the newest', async () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 40 }), (records) => {
      for (const { at, step } of walk(records)) {
        if (at - step.session.indexedAt >= markMs) throw new Error(`marked at ${step.session.indexedAt}, now ${at}`)
        if (step.isIndexed && step.session.indexedAt !== at) throw new Error('a mark of another time')
      }
    }),
  )
})

t.test('Receipts neither begin nor prolong a session', async (t) => {
  const soFar = { id: 'one', lastAt: 1, messageCount: 1, indexedAt: 1 }
  t.equal(advanceSession(undefined, entryOf('one', 'status'), 5, markMs), undefined)
  t.equal(advanceSession(soFar, entryOf('two', 'status'), 5, markMs), undefined)
})

t.test('The preview of a first message is cut between characters if it is too long', async (t) => {
  const most = limits.previewChars
  t.equal(previewOf('a'.repeat(most)), 'a'.repeat(most))
  t.equal(previewOf('a'.repeat(most + 1)), `${'a'.repeat(most - 1)}…`)
  t.equal(previewOf('🌊'.repeat(most)), '🌊'.repeat(most))
  t.equal(previewOf('🌊'.repeat(most + 1)), `${'🌊'.repeat(most - 1)}…`)
  t.equal(previewOf(`a${'🌊'.repeat(5 * most)}`), `a${'🌊'.repeat(most - 2)}…`)
  t.equal(advanceSession(undefined, entryOf('one', 'content', ''), 5, markMs)?.started?.preview, undefined)
})
