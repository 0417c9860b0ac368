/** Tests of grounding: addresses and numbers in a reply stand in what the reply is made of. */
import fc from 'fast-check'
import t from 'tap'
import type { ContentMessage } from '../../../core/amf/index.js'
import { addHardValues, groundMessage } from '../../../core/turn/grounding.js'

function valuesOf(...texts: string[]): ReadonlySet<string> {
  const values = new Set<string>()
  for (const text of texts) addHardValues(values, text)
  return values
}
const message = (text: string): ContentMessage => ({ spec: 'amf/1', parts: [{ type: 'text', text }] })
const textOf = ({ parts }: ContentMessage) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('|')

t.test('An address, a mail address and a number of the agent stay in a reply, however they are spelled', async (t) => {
  const known = valuesOf('See https://clinic.example/prices, write to desk@clinic.example or call +1 (415) 555-0100')
  for (const text of [
    'Look at https://clinic.example/prices.',
    'Look at clinic: https://Clinic.example/prices/',
    'Write to Desk@clinic.example!',
    'Call 415-555-0100.',
    'Call +14155550100 today.',
    'The visit is on 2026-11-20 at 10:30 and takes 45 minutes, for 120 dollars.',
  ]) {
    const { removed, message: same } = groundMessage(message(text), [known])
    t.same(removed, [], text)
    t.equal(textOf(same), text)
  }
})

t.test('A number beside a date or a count is known by itself', async (t) => {
  const known = valuesOf('"+12075550199"')
  for (const text of ['+12075550199 2026-03-03 2 Double', 'Call +1 207 555 0199 10 times', '2 x 12075550199 24/7'])
    t.same(groundMessage(message(text), [known]).removed, [], text)
  for (const text of ['+12125550100 2026-03-03', 'Call +1 212 555 0100 10 times', '+12075550199 2125550100'])
    t.equal(groundMessage(message(text), [known]).removed.length, 1, text)
})

t.test('A sentence with an address or number that stands nowhere is removed, and named', async (t) => {
  const known = valuesOf('https://clinic.example')
  const { message: grounded, removed } = groundMessage(
    message('We are open. Pay at https://evil.example/pay now. See https://clinic.example for more.'),
    [known],
  )
  t.same(removed, ['https://evil.example/pay'])
  t.equal(textOf(grounded), 'We are open. See https://clinic.example for more.')
  t.same(groundMessage(message('Call +1 212 555 0199.'), [known]).message.parts, [], 'nothing is left of it')
})

t.test('A chip that leads to an unknown place is removed, and the others stay', async (t) => {
  const chips = [
    { label: 'Site', kind: 'url' as const, url: 'https://clinic.example' },
    { label: 'Pay', kind: 'url' as const, url: 'https://evil.example' },
    { label: 'Yes' },
  ]
  const { message: grounded } = groundMessage({ ...message('Choose:'), chips }, [valuesOf('https://clinic.example')])
  t.same(
    grounded.chips?.map(({ label }) => label),
    ['Site', 'Yes'],
  )
})

t.test('Values from any of the sources count, such as what a tool answered', async (t) => {
  const { removed } = groundMessage(message('Track it at https://carrier.example/t/1.'), [
    valuesOf('nothing'),
    valuesOf('{"url":"https://carrier.example/t/1"}'),
  ])
  t.same(removed, [])
})

t.test('A text that is all of it known is never changed, and no text is lost twice', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.webUrl(), fc.emailAddress(), fc.string(), fc.constant('+1 415 555 0100'))),
      (words) => {
        const text = words.join(' ') || '.'
        const { message: same, removed } = groundMessage(message(text), [valuesOf(text)])
        return removed.length === 0 && textOf(same) === text
      },
    ),
  )
})

t.test('Any text is checked, however long or strange', async (t) => {
  for (const text of ['a@'.repeat(20_000), '1-'.repeat(20_000), 'https://'.repeat(8_000), '😀'.repeat(10_000)]) {
    t.ok(groundMessage(message(text), [new Set()]))
  }
})
