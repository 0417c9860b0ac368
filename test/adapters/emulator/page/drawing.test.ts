/** What phones draw, against what the emulated providers know can be tapped, over everything that adapters render. */
import t from 'tap'
import { drawingOfBlock } from '../../../../adapters/emulator/page/blocks.js'
import { type Drawing, drawingOf, type Tap } from '../../../../adapters/emulator/page/drawing.js'
import { httpProviders } from '../../../../adapters/emulator/providers.js'
import { corpusFor } from '../../../../adapters/kit/suite/corpus.js'
import { whatsappAdapter } from '../../../../adapters/messenger/whatsapp/adapter.js'
import { rbmAdapter } from '../../../../adapters/rcs/rbm/adapter.js'
import { appleAdapter } from '../../../../adapters/vendor/apple/adapter.js'
import type { Adapter } from '../../../../core/channel/adapter.js'
import { render } from '../../../../core/render/index.js'

const tapsIn = ({ cards = [], chips = [], list }: Drawing): Tap[] => [
  ...cards.flatMap(({ taps }) => taps),
  ...chips,
  ...(list?.rows ?? []),
]
const wordsIn = ({ text, cards = [] }: Drawing): string =>
  [text, ...cards.flatMap(({ title, description }) => [title, description])].join('\n')

/** The body of each, as it goes over the wire. */
const bodyOf: Readonly<Record<string, (protocol: never) => unknown>> = {
  rbm: (protocol: { message?: unknown; native?: unknown }) => protocol.message ?? protocol.native,
  whatsapp: (protocol: { body: unknown }) => protocol.body,
  apple: (protocol: { message: unknown }) => protocol.message,
}
const about = { address: '+15550100', messageId: 'msg_1', id: 'id-1' }

for (const adapter of [rbmAdapter, whatsappAdapter, appleAdapter] as unknown as Adapter[]) {
  const { channel, provider, traits } = adapter.descriptor
  t.test(`${provider}: every control that can be tapped at the provider can be tapped on the phone`, async (t) => {
    const protocol = httpProviders.find(({ name }) => name === provider)!
    let tapped = 0
    for (const [name, message] of Object.entries(corpusFor(channel))) {
      const { blocks } = render(message, traits, { locale: 'en-US', zone: 'UTC' })
      const bodies = adapter.render(blocks, about as never).map((each) => bodyOf[provider]!(each as never))
      for (const body of bodies) {
        const drawn = tapsIn(drawingOf(provider, body))
        const offered = protocol.taps(body).map(({ postback }) => postback)
        const back = drawn.flatMap(({ postback }) => postback ?? [])
        const shares = drawn.filter(({ kind, postback }) => kind === 'location' && postback === undefined).length
        t.same(
          back.filter((postback) => !offered.includes(postback)),
          [],
          `${name}: no text is invented`,
        )
        t.ok(offered.length - back.length <= shares, `${name}: no text is left out`)
        t.ok(
          drawn.every(({ label }) => label !== ''),
          name,
        )
        tapped += offered.length
      }
    }
    t.ok(tapped > 20, `${tapped} taps`)
  })

  t.test(`${provider}: an unknown payload is shown as it is`, async (t) => {
    t.same(drawingOf(provider, { some: 'thing' }), { text: '{\n  "some": "thing"\n}' })
    t.same(drawingOf('nobody', 'x'), { text: '"x"' })
  })
}

t.test('A text message is shown as its text', async (t) => {
  t.same(drawingOf('twilio', { Body: 'Hi', To: '+1' }), { text: 'Hi' })
  t.match(drawingOf('twilio', { Body: 'Hi', MediaUrl: 'https://x.example/a.pdf' }), { pictures: [{ kind: 'file' }] })
})

t.test('Times are shown in the zone that the picker names', async (t) => {
  const event = (more: object) => ({
    type: 'interactive',
    interactiveData: {
      receivedMessage: { title: 'When?' },
      data: { event: { ...more, timeslots: [{ identifier: 'a', startTime: '2027-03-01T23:30+0000' }] } },
    },
  })
  const [slot] = drawingOf('apple', event({ timezoneOffset: 60 })).list!.rows
  t.match(slot, { label: /Tue.* 2 Mar.* 00:30/, postback: 'a' })
})

t.test('The preview shows all texts and taps of the input on every channel', async (t) => {
  const block = {
    kind: 'carousel',
    cards: [
      { title: 'One', description: 'First', chips: [{ label: 'Pick', kind: 'reply', tap: 0 }] },
      { title: 'Two' },
    ],
    chips: [{ label: 'Site', kind: 'url', url: 'https://x.example/' }],
  } as const
  const drawing = drawingOfBlock(block)
  t.equal(wordsIn(drawing), '\nOne\nFirst\nTwo\n')
  t.same(
    tapsIn(drawing).map(({ label, kind }) => [label, kind]),
    [
      ['Pick', 'reply'],
      ['Site', 'link'],
    ],
  )
})
