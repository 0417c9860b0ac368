/** Directives: which members make one, and how each finds what it taps in what the agent said. */
import fc from 'fast-check'
import t from 'tap'
import type { ContentMessage } from '../../../core/amf/index.js'
import { isRefusal } from '../../../core/errors.js'
import { type Directive, type DirectiveBody, parseDirective } from '../../../core/sandbox/directive.js'
import { toInbound, type VisibleMessages } from '../../../core/sandbox/simulate.js'

const reader = { locale: 'en-US', zone: 'UTC' }

function visibleMessages(...messages: Omit<ContentMessage, 'spec'>[]): VisibleMessages {
  const visible = messages.map((message, index) => ({
    messageId: `msg_${index}`,
    message: { spec: 'amf/1' as const, ...message },
  }))
  return { messages: visible, latest: visible.length }
}

const text = { type: 'text', text: 'Hello' } as const
const chips = (...labels: string[]) => ({ parts: [text], chips: labels.map((label) => ({ label })) })

t.test('A chip is found by its whole label before a part of it, in any case, or by an expression', async (t) => {
  const visible = visibleMessages(chips('Book a table', 'Book', 'Opening hours'))
  const tapIndexOf = (chip: string) => {
    const inbound = toInbound({ chip }, visible, reader)
    return inbound?.kind === 'tap' ? inbound.tapIndex : undefined
  }
  t.equal(tapIndexOf('book'), 1)
  t.equal(tapIndexOf('BOOK A'), 0)
  t.equal(tapIndexOf('hours'), 2)
  t.equal(tapIndexOf('/^opening\\b/i'), 2)
  t.equal(tapIndexOf('/^opening\\b/'), undefined, 'an expression minds capitals unless it says otherwise')
  t.equal(tapIndexOf('nothing'), undefined)
})

t.test('A chip is searched in the agent’s last messages, newest first, and no further back', async (t) => {
  const { messages } = visibleMessages(chips('New'), chips('New', 'Older'), chips('Oldest'))
  const last = { messages, latest: 2 }
  t.match(toInbound({ chip: 'new' }, last, reader), { messageId: 'msg_0', tapIndex: 0 })
  t.match(toInbound({ chip: 'older' }, last, reader), { messageId: 'msg_1', tapIndex: 1 })
  t.equal(toInbound({ chip: 'oldest' }, last, reader), undefined)
})

t.test('A slot or a confirmation belongs to the newest picker, however old it is', async (t) => {
  const slots = (intentId: string, ...ids: string[]) => ({
    type: 'ask.time' as const,
    intentId,
    prompt: 'When?',
    slots: ids.map((id, hour) => ({ id, start: `2026-03-05T1${hour}:00:00Z` })),
  })
  const confirm = { type: 'confirm' as const, intentId: 'sure', prompt: 'Sure?' }
  const { messages } = visibleMessages(
    { parts: [text] },
    { parts: [slots('first', 'a', 'b'), slots('second', 'c', 'd'), confirm] } as never,
    { parts: [slots('old', 'x', 'y', 'z')] } as never,
  )
  const visible = { messages, latest: 1 }
  t.match(toInbound({ slot: 1 }, visible, reader), { messageId: 'msg_1', tapIndex: 3 })
  t.equal(toInbound({ slot: 2 }, visible, reader), undefined, 'an older picker is not used instead')
  t.match(toInbound({ confirm: true }, visible, reader), { messageId: 'msg_1', tapIndex: 4 })
  t.match(toInbound({ confirm: false }, visible, reader), { messageId: 'msg_1', tapIndex: 5 })
})

t.test('The fallback text is typed only when there is no affordance', async (t) => {
  const visible = visibleMessages(chips('Yes'))
  t.match(toInbound({ chip: 'yes', fallback: 'typed' }, visible, reader), { kind: 'tap' })
  t.same(toInbound({ chip: 'no', fallback: 'typed' }, visible, reader), { kind: 'content', content: { text: 'typed' } })
})

t.test('Every simulated tap is an offer of the agent, under its own label', async () => {
  const label = fc.stringMatching(/^[A-Za-z][A-Za-z ]{0,10}[a-z]$/)
  fc.assert(
    fc.property(
      fc.array(fc.array(label, { minLength: 1, maxLength: 4 }), { maxLength: 4 }),
      label,
      (all, wantedLabel) => {
        const visible = visibleMessages(...all.map((labels) => chips(...labels)))
        const inbound = toInbound({ chip: wantedLabel }, visible, reader)
        const isThere = all.flat().some((each) => each.toLowerCase().includes(wantedLabel.toLowerCase()))
        if (inbound === undefined) return !isThere || wantedLabel.trim() === ''
        if (inbound.kind !== 'tap') return false
        const offered = all[Number(inbound.messageId.slice('msg_'.length))]?.[inbound.tapIndex]
        return isThere && offered === inbound.label
      },
    ),
  )
})

t.test('Exactly one member of a body names the directive, and only its own members are allowed beside it', async () => {
  const values: Required<Omit<DirectiveBody, 'simulate'>> = {
    text: 'Hi',
    chip: 'Hi',
    slot: 1,
    confirm: true,
    fallback: 'Hi',
    system: 'optIn',
    action: 'url',
    label: 'Hi',
    media: 'image',
    url: 'https://a.example/b.png',
  }
  const fine = new Set([
    'text',
    'chip',
    'chip fallback',
    'slot',
    'fallback slot',
    'confirm',
    'confirm fallback',
    'system',
    'action',
    'action label',
    'media url',
    'media text url',
  ])
  const names = Object.keys(values) as (keyof typeof values)[]
  fc.assert(
    fc.property(fc.subarray(names), (members) => {
      const body = Object.fromEntries(members.map((name) => [name, values[name]])) as DirectiveBody
      const read = parseDirective(body)
      return fine.has([...members].sort().join(' ')) ? read === (body as Directive) : isRefusal(read)
    }),
    { numRuns: 2_000 },
  )
})
