/** What every reply passes: grounding, disclaimers once a session, and phrases of the guardrails. */
import fc from 'fast-check'
import t from 'tap'
import { type ContentMessage, validateMessage } from '../../../core/amf/index.js'
import { amf } from '../../../core/limits/index.js'
import { guardReply } from '../../../core/turn/guard.js'
import { sayableText } from '../../../core/turn/sayable.js'
import { anyText } from '../../harness/arbitraries.js'

const message = (...texts: string[]): ContentMessage => ({
  spec: 'amf/1',
  parts: texts.map((text) => ({ type: 'text', text })),
})
const reader = { locale: 'en-US', zone: 'UTC' }
const guard = (messages: readonly ContentMessage[], guardrails: object, hasDisclaimers = false) =>
  guardReply({ messages, document: { guardrails }, hasDisclaimers, sources: [new Set()], reader })
const codes = ({ warnings }: ReturnType<typeof guard>) => warnings.map(({ code }) => code)

t.test('R34, decision 24: disclaimers end the first message of a session, and are said once', (t) => {
  const guardrails = { requiredDisclaimers: ['Not advice.', 'Recorded.'] }
  const first = guard([message('One.'), message('Two.')], guardrails)
  t.match(first.messages, [
    { parts: [{ text: 'One.' }, { text: /Not advice.*\n.*Recorded/ }] },
    { parts: [{ text: 'Two.' }] },
  ])
  t.equal(first.hasDisclaimers, true)
  t.same(codes(first), ['disclaimer.added'])
  const next = guard([message('Three.')], guardrails, true)
  t.same(next.messages, [message('Three.')])
  t.end()
})

t.test('A turn that says nothing has no disclaimer, and the next has it', (t) => {
  const guarded = guard([], { requiredDisclaimers: ['Not advice.'] })
  t.same(guarded.messages, [])
  t.equal(guarded.hasDisclaimers, false)
  t.end()
})

t.test('A full message is followed by one with the disclaimers', (t) => {
  const full = message(...Array.from({ length: amf.parts }, (_, nth) => `Part ${nth}.`))
  const { messages } = guard([full], { requiredDisclaimers: ['Not advice.'] })
  t.equal(messages.length, 2)
  t.end()
})

t.test('Decision 24: topics and claims are found in chips and in any case, and the reply stays', (t) => {
  const reply = { ...message('The sea.'), chips: [{ label: 'About POLITICS' }] }
  const guarded = guard([reply], { topicsToAvoid: ['politics'], claimsNotToMake: ['the sea'] })
  t.same(codes(guarded), ['rule.flagged', 'rule.flagged'])
  t.same(guarded.messages, [reply])
  t.end()
})

t.test('An address that stands nowhere is removed with its sentence, and named', (t) => {
  const guarded = guard([message('Open. Pay at https://evil.example/pay now.'), message('https://evil.example')], {})
  t.match(guarded.messages, [{ parts: [{ text: 'Open.' }] }])
  t.equal(guarded.messages.length, 1, 'a message of which nothing is left is not sent')
  t.same(codes(guarded), ['ground.removed', 'ground.removed'])
  t.end()
})

t.test('Any reply stays valid, and any disclaimer is in it word for word', (t) => {
  const any = anyText({ minLength: 1, maxLength: 100 })
  fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 4 }), any, (texts, disclaimer) => {
      const messages = texts.map((text) => message(text)).filter((each) => 'message' in validateMessage(each))
      if (messages.length === 0) return
      const guarded = guard(messages, { requiredDisclaimers: [disclaimer] })
      for (const each of guarded.messages) t.ok('message' in validateMessage(each), JSON.stringify(each))
      const text = guarded.messages
        .flatMap(({ parts }) => parts.map((part) => (part as { text: string }).text))
        .join('\n')
      const said = sayableText(disclaimer)
      if (guarded.messages.length > 0) t.ok(text.replaceAll('\\', '').includes(said.replaceAll('\\', '')), disclaimer)
    }),
    { numRuns: 300 },
  )
  t.end()
})
