/** The floor: what a person with a plain phone reads, word for word. */
import t from 'tap'
import type { Chip, ContentMessage, Part, PlainPart } from '../../../core/amf/index.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { floorText, render } from '../../../core/render/index.js'

const reader = { locale: 'en-US', zone: 'America/New_York' }
const messageOf = (parts: Part[], chips?: Chip[]): ContentMessage => ({ spec: 'amf/1', parts, ...(chips && { chips }) })
const onSms = (message: ContentMessage) => render(message, traitsOf('sms'), reader)
const floor = (...lines: string[]) => lines.join('\n')
const at = (iso: string) => ({ iso, tz: 'America/New_York' })

const choice = (...labels: string[]): PlainPart => ({
  type: 'ask.choice',
  intentId: 'color',
  prompt: 'Which color?',
  options: labels.map((label, place) => ({ id: `c${place}`, label })),
})

t.test('A choice is a numbered list that is answered by number', async (t) => {
  const { numbered, ...rendering } = onSms(messageOf([choice('Red', 'Blue')]))
  t.equal(floorText(rendering), floor('Which color?', '1. Red', '2. Blue', 'Reply with a number to choose.'))
  t.same(numbered, [0, 1])
})

t.test('A single option is a sentence that YES accepts', async (t) => {
  const { numbered, ...rendering } = onSms(messageOf([choice('Red')]))
  t.equal(floorText(rendering), floor('Which color?', 'Red', 'Reply YES to choose it.'))
  t.same(numbered, [])
})

t.test('Descriptions and pictures of options stand below their labels', async (t) => {
  const options = [
    { id: 'a', label: 'Small', description: 'For one', mediaUrl: 'https://a.example/s.png' },
    { id: 'b', label: 'Large' },
  ]
  const message = messageOf([{ type: 'ask.choice', intentId: 'size', prompt: 'Size?', options }])
  t.equal(
    floorText(onSms(message)),
    floor('Size?', '1. Small', 'For one', 'https://a.example/s.png', '2. Large', 'Reply with a number to choose.'),
  )
})

t.test('Slots are numbered and shown by day and time, or by their label', async (t) => {
  const slots = [
    { id: 'a', start: at('2026-11-20T15:00:00-05:00') },
    { id: 'b', start: at('2026-11-21T09:30:00-05:00'), label: 'Saturday morning' },
  ]
  t.equal(
    floorText(onSms(messageOf([{ type: 'ask.time', intentId: 'when', prompt: 'When?', slots }]))),
    floor('When?', '1. Fri, Nov 20, 3:00 PM', '2. Saturday morning', 'Reply with a number to choose.'),
  )
})

t.test('A confirmation lists its details and accepts YES or NO', async (t) => {
  const details = [
    { label: 'When', value: at('2026-11-20T15:00:00-05:00') },
    { label: 'Price', value: { amount: '1234.5', currency: 'USD' } },
    { label: 'Who', value: 'Ada' },
  ]
  t.equal(
    floorText(onSms(messageOf([{ type: 'confirm', intentId: 'ok', prompt: 'Book it?', details }]))),
    floor(
      'Book it?',
      'When: Fri, Nov 20, 2026, 3:00 PM EST',
      'Price: $1,234.50',
      'Who: Ada',
      'Reply YES to confirm or NO to decline.',
    ),
  )
})

t.test('Labels of a confirmation explain YES and NO, unless they are those words', async (t) => {
  const ask = { type: 'confirm', intentId: 'ok', prompt: 'Coming?' } as const
  t.equal(
    floorText(onSms(messageOf([{ ...ask, yesLabel: 'Of course', noLabel: 'Not today' }]))),
    floor('Coming?', 'YES: Of course', 'NO: Not today', 'Reply YES to confirm or NO to decline.'),
  )
  t.equal(
    floorText(onSms(messageOf([{ ...ask, yesLabel: 'Yes', noLabel: 'No' }]))),
    floor('Coming?', 'Reply YES to confirm or NO to decline.'),
  )
})

t.test('A showcase is a numbered digest', async (t) => {
  const items = [
    { id: 'a', title: 'Mug', description: 'Blue', mediaUrl: 'https://a.example/mug.jpg' },
    { id: 'b', title: 'Cup', chips: [{ label: 'Buy now', kind: 'url' as const, url: 'https://a.example/cup' }] },
  ]
  t.equal(
    floorText(onSms(messageOf([{ type: 'showcase', intentId: 'shop', prompt: 'New today', items }]))),
    floor(
      'New today',
      '1. Mug',
      'Blue',
      'https://a.example/mug.jpg',
      '2. Cup',
      'Buy now: https://a.example/cup',
      'Reply with a number to choose.',
    ),
  )
  t.equal(
    floorText(onSms(messageOf([{ type: 'showcase', intentId: 'shop', items: items.slice(0, 1) }]))),
    floor('Mug', 'Blue', 'https://a.example/mug.jpg', 'Reply YES to choose it.'),
  )
})

t.test('A request for a location asks for an address', async (t) => {
  t.equal(
    floorText(onSms(messageOf([{ type: 'ask.location', intentId: 'where', prompt: 'Where to?' }]))),
    floor('Where to?', 'Reply with your address.'),
  )
})

t.test('An event is text with a calendar link of the same instants', async (t) => {
  const event: Part = {
    type: 'share.event',
    title: 'Tasting',
    start: at('2026-11-20T19:00:00-05:00'),
    end: at('2026-11-20T21:00:00-05:00'),
    description: 'Six wines',
    place: { label: 'Cellar', address: '1 Main St' },
  }
  t.equal(
    floorText(onSms(messageOf([event]))),
    floor(
      'Tasting',
      'Fri, Nov 20, 2026, 7:00 PM - 9:00 PM EST',
      'Six wines',
      'Cellar, 1 Main St',
      'https://calendar.google.com/calendar/render?action=TEMPLATE&text=Tasting&dates=20261121T000000Z/20261121T020000Z&location=Cellar,+1+Main+St',
    ),
  )
})

t.test('A place is its name, its address and a map link', async (t) => {
  t.equal(
    floorText(
      onSms(
        messageOf([{ type: 'share.place', label: 'Shop', address: '1 Main St', latitude: 40.5, longitude: -73.25 }]),
      ),
    ),
    floor('Shop', '1 Main St', 'https://www.google.com/maps/search/?api=1&query=40.5,-73.25'),
  )
  t.equal(
    floorText(onSms(messageOf([{ type: 'share.place', address: '1 Main St & 2nd' }]))),
    floor('1 Main St & 2nd', 'https://www.google.com/maps/search/?api=1&query=1+Main+St+%26+2nd'),
  )
})

t.test('A contact is its text', async (t) => {
  const contact = {
    name: 'Ada',
    organization: 'Shop',
    phone: '+1 212 555 0100',
    email: 'a@shop.example',
    url: 'https://shop.example',
  }
  t.equal(
    floorText(onSms(messageOf([{ type: 'share.contact', ...contact }]))),
    floor('Ada', 'Shop', '+1 212 555 0100', 'a@shop.example', 'https://shop.example'),
  )
})

t.test('Media is its alternative text and its URL', async (t) => {
  t.equal(
    floorText(
      onSms(messageOf([{ type: 'media', kind: 'image', mediaUrl: 'https://a.example/x.jpg', alt: 'The shop' }])),
    ),
    floor('The shop', 'https://a.example/x.jpg'),
  )
})

t.test('Cards of a carousel share one numbering, and their links are printed', async (t) => {
  const cards = [
    { title: 'One', chips: [{ label: 'Take one' }] },
    {
      title: 'Two',
      description: 'Second',
      chips: [{ label: 'Take two' }, { label: 'More', kind: 'url' as const, url: 'https://a.example/2' }],
    },
  ]
  const { numbered, ...rendering } = onSms(messageOf([{ type: 'carousel', cards }]))
  t.equal(
    floorText(rendering),
    floor(
      'One',
      '1. Take one',
      '',
      'Two',
      'Second',
      '2. Take two',
      'More: https://a.example/2',
      'Reply with a number to choose.',
    ),
  )
  t.same(numbered, [0, 1])
})

t.test('Numbers continue from the parts to the chips of the message', async (t) => {
  const { numbered, ...rendering } = onSms(
    messageOf([{ type: 'text', text: 'Hello' }, choice('Red', 'Blue')], [{ label: 'Help me' }]),
  )
  t.equal(
    floorText(rendering),
    floor('Hello', '', 'Which color?', '1. Red', '2. Blue', '', '3. Help me', 'Reply with a number to choose.'),
  )
  t.same(numbered, [0, 1, 2])
})

t.test('Action chips become text that a person can act on by hand', async (t) => {
  const chips: Chip[] = [
    { label: 'Menu', kind: 'url', url: 'https://a.example/menu' },
    { label: 'Call', kind: 'dial', phone: '+12125550100' },
    { label: 'Visit', kind: 'viewLocation', place: { address: '1 Main St' } },
    { label: 'Come to me', kind: 'shareLocation' },
    {
      label: 'Save',
      kind: 'calendar',
      event: { title: 'Sale', start: at('2026-11-20T09:00:00-05:00'), end: at('2026-11-20T10:00:00-05:00') },
    },
  ]
  t.equal(
    floorText(onSms(messageOf([{ type: 'text', text: 'Hi' }], chips))),
    floor(
      'Hi',
      '',
      'Menu: https://a.example/menu',
      'Call: +12125550100',
      'Visit: 1 Main St',
      'https://www.google.com/maps/search/?api=1&query=1+Main+St',
      'Come to me',
      'Reply with your address.',
      'Save: Sale',
      'Fri, Nov 20, 2026, 9:00 AM - 10:00 AM EST',
      'https://calendar.google.com/calendar/render?action=TEMPLATE&text=Sale&dates=20261120T140000Z/20261120T150000Z',
    ),
  )
})

t.test('A chip that carriers would read as an opt-out is answered by its number', async (t) => {
  const { numbered, ...rendering } = onSms(
    messageOf([{ type: 'text', text: 'Your visit is tomorrow.' }], [{ label: 'Cancel' }]),
  )
  t.equal(floorText(rendering), floor('Your visit is tomorrow.', '', '1. Cancel', 'Reply with a number to choose.'))
  t.same(numbered, [0])
})

t.test('The value of a chip is never shown', async (t) => {
  t.notMatch(
    floorText(onSms(messageOf([{ type: 'text', text: 'Hi' }], [{ label: 'Outside', value: '/outside' }]))),
    '/outside',
  )
})

t.test('A native part is sent as it is on its channel, and as its fallback elsewhere', async (t) => {
  const part: Part = { type: 'native', channel: 'rcs', payload: { any: 1 }, fallback: [choice('Red', 'Blue')] }
  t.same(render(messageOf([part]), traitsOf('rcs'), reader), {
    blocks: [{ kind: 'native', payload: { any: 1 } }],
    numbered: [],
    loss: [],
  })
  t.match(floorText(onSms(messageOf([part]))), '1. Red')
})

t.test('Text is folded to the GSM alphabet only where that makes the whole message cheaper', async (t) => {
  const text = (words: string) => floorText(onSms(messageOf([{ type: 'text', text: words }])))
  t.equal(text('It’s “fine” – really…'), 'It\'s "fine" - really...')
  t.equal(text('It’s fine 😀'), 'It’s fine 😀')
})

t.test('The sentence about answering by number follows the last number', async (t) => {
  const card: Part = { type: 'card', card: { title: 'Suite', chips: [{ label: 'Book' }] } }
  for (const message of [
    messageOf([choice('Red', 'Blue'), card]),
    messageOf([choice('Red', 'Blue'), { type: 'text', text: 'By the way' }], [{ label: 'Menu' }]),
    messageOf([choice('Red', 'Blue'), card], [{ label: 'Menu' }]),
  ]) {
    const { numbered, ...rendering } = onSms(message)
    const lines = floorText(rendering).split('\n')
    t.equal(lines.at(-1), 'Reply with a number to choose.', lines.join(' / '))
    t.ok(numbered.length > 2)
  }
  const { numbered: _, ...rendering } = onSms(
    messageOf([choice('Red', 'Blue')], [{ label: 'Site', kind: 'url', url: 'https://a.example' }]),
  )
  t.match(floorText(rendering), /2\. Blue\nReply with a number to choose\.\n\nSite: https:\/\/a\.example$/)
})
