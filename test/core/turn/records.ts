/** Turn records to test with: one of each member's usual kind, and any whose texts of people are marked. */
import fc from 'fast-check'
import { type ToolCallRecord, type TurnRecord, triggerKinds, warningCodes } from '../../../core/turn/record.js'
import { turnIdOf } from '../../../core/turn/turnid.js'

const start = Date.UTC(2026, 2, 1, 12)

/** A turn of that person in which nothing happened except one answer. */
export function turnOf(asid: string, more: Partial<TurnRecord> = {}, number = 1): TurnRecord {
  const { startedAt = start } = more
  return {
    id: turnIdOf(asid, startedAt, number),
    userId: asid,
    sessionId: `${asid}-1`,
    channel: 'sms',
    state: 'completed',
    trigger: { kind: 'message', eventIds: ['ev_1'], text: 'Hello' },
    startedAt,
    endedAt: startedAt + 12,
    took: { total: 12, waiting: 1, gathering: 2, model: 0, tools: 0, committing: 3 },
    definition: { digest: 'abc', updatedAt: start - 1_000 },
    playbook: { before: 'welcome', after: 'welcome', why: 'session' },
    modelCalls: [],
    toolCalls: [],
    found: [],
    rules: [],
    messages: ['msg_1'],
    effects: [],
    outcomes: [],
    warnings: [],
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 },
    trace: [],
    ...more,
  }
}

export function callOf(name: string, more: Partial<ToolCallRecord> = {}): ToolCallRecord {
  return { name, by: 'flow', state: 'ok', arguments: {}, ms: 3, key: 'c1', ...more }
}

/** Stands in every text that a person may have written. */
export const words = 'my-own-words'
const ofPerson = fc.string({ maxLength: 40 }).map((text) => `${text} ${words}`)
const name = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.nat({ max: 9 }).map((digit) => String(digit).repeat(2_000)),
)
const whole = fc.nat({ max: 10_000 })
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const tools = ['knowledge.search', 'scheduling.availability', 'scheduling.book', 'scheduling.cancel', 'people.save']
const toolName = fc.constantFrom(...tools, 'notify.team', 'integration:crm', 'tool:@svc/tool.mail', '__proto__')

const toolCall = fc.record({
  name: fc.oneof(toolName, name),
  by: fc.constantFrom('flow', 'model'),
  state: fc.constantFrom('ok', 'captured', 'refused', 'failed', 'unknown', 'cancelled', 'pending'),
  arguments: fc.oneof(
    fc.dictionary(name, ofPerson, { maxKeys: 30 }),
    fc.record({ fields: fc.dictionary(name, ofPerson) }),
    ofPerson,
    fc.constant(null),
  ),
  result: optional(fc.oneof(fc.record({ slots: fc.array(ofPerson), note: ofPerson }), fc.array(ofPerson), ofPerson)),
  reason: optional(name),
  ms: optional(whole),
  key: name,
})

const modelCall = fc.record({
  ...{ purpose: name, model: name, attempts: fc.integer({ min: 1, max: 3 }), ms: whole, firstMs: optional(whole) },
  ...{ inputTokens: whole, outputTokens: whole, cacheReadTokens: whole, promptHash: name, promptChars: whole },
  error: optional(name),
})

const trigger = fc.record({
  kind: fc.constantFrom(...triggerKinds),
  eventIds: fc.array(name, { maxLength: 40 }),
  text: optional(ofPerson),
  directive: optional(fc.record({ text: ofPerson })),
  opening: optional(fc.constantFrom('outreach', 'reminder', 'link')),
})

const many = { maxLength: 40 } as const
/** Any record, longer in all its lists than a turn makes it. */
export const turnRecords = fc
  .record({
    state: fc.constantFrom('open', 'completed', 'cut', 'failed'),
    endedBy: optional(fc.constantFrom('stopped', 'deadline', 'webhook', 'agentGone', 'superseded')),
    test: optional(fc.constant(true)),
    trigger,
    playbook: fc.record({ before: optional(name), after: optional(name), why: name }),
    flow: optional(
      fc.record({
        ...{ from: optional(name), to: optional(name), outcome: optional(name) },
        slots: fc.dictionary(name, ofPerson, { maxKeys: 40 }),
      }),
    ),
    goal: optional(
      fc.record({ id: name, from: fc.constantFrom('playbook', 'default'), reached: optional(fc.constant(true)) }),
    ),
    modelCalls: fc.array(modelCall, many),
    toolCalls: fc.array(toolCall, many),
    found: fc.array(fc.record({ kind: fc.constantFrom('fact', 'passage'), id: name, score: fc.float() }), many),
    rules: fc.array(fc.record({ ruleId: name, action: fc.constantFrom('block', 'flag') }), many),
    messages: fc.array(name, { maxLength: 10 }),
    effects: fc.array(fc.record({ kind: name, summary: ofPerson, payload: optional(ofPerson), at: whole }), many),
    outcomes: fc.array(name, many),
    warnings: fc.array(fc.record({ code: fc.constantFrom(...warningCodes), message: ofPerson }), many),
    trace: fc.array(ofPerson, { maxLength: 20 }),
  })
  .map((more) => turnOf('ada', more as unknown as Partial<TurnRecord>))
