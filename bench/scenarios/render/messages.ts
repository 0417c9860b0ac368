/** A message for each kind of part: ordinary content, neither tiny nor at its limits. */
import type { ContentMessage, Part, PartType } from '../../../core/amf/index.js'

const photo = (name: string) => `https://harbor.example/photos/${name}.jpg`
const start = { iso: '2027-03-01T14:00:00Z', tz: 'America/New_York' }
const end = { iso: '2027-03-01T15:30:00Z', tz: 'America/New_York' }
const place = { label: 'Harbor House', address: '12 Quay Street, Portland' }
const rooms = [
  { id: 'red', title: 'Red room', description: 'Two beds, a view of the harbor.' },
  { id: 'blue', title: 'Blue room', description: 'One bed, quiet, towards the garden.' },
  { id: 'loft', title: 'Loft', description: 'Under the roof, with a kitchen of its own.' },
]
const card = {
  title: 'Blue room',
  description: 'One bed, quiet, towards the garden.',
  mediaUrl: photo('blue'),
  chips: [{ label: 'Book it' }, { label: 'See more', kind: 'url', url: 'https://harbor.example/blue' } as const],
}

type Parts = { readonly [Type in PartType]: Extract<Part, { type: Type }> }
const parts: Parts = {
  text: {
    type: 'text',
    text: 'Your order left the warehouse this morning and arrives on Thursday between nine and noon.',
  },
  media: { type: 'media', mediaUrl: photo('blue'), kind: 'image', alt: 'The blue room in the morning' },
  card: { type: 'card', card },
  carousel: {
    type: 'carousel',
    cards: rooms.map(({ id, title, description }) => ({ ...card, title, description, mediaUrl: photo(id) })),
  },
  'ask.choice': {
    type: 'ask.choice',
    intentId: 'room',
    prompt: 'Which room would you like?',
    options: rooms.map(({ id, title: label, description }) => ({ id, label, description })),
  },
  'ask.time': {
    type: 'ask.time',
    intentId: 'arrival',
    prompt: 'When will you arrive?',
    slots: [14, 16, 18, 20].map((hour) => ({
      id: `at-${hour}`,
      start: { iso: `2027-03-01T${hour}:00:00Z`, tz: start.tz },
    })),
  },
  confirm: {
    type: 'confirm',
    intentId: 'booking',
    prompt: 'Shall we book it?',
    details: [
      { label: 'Room', value: 'Blue room' },
      { label: 'Arrival', value: start },
      { label: 'Price', value: { amount: '129.00', currency: 'USD' } },
    ],
  },
  showcase: {
    type: 'showcase',
    intentId: 'rooms',
    prompt: 'These are free:',
    items: rooms.map((room) => ({ ...room, mediaUrl: photo(room.id) })),
  },
  'ask.location': { type: 'ask.location', intentId: 'where', prompt: 'Where shall we pick you up?' },
  'share.event': { type: 'share.event', title: 'Arrival at Harbor House', start, end, place },
  'share.place': { type: 'share.place', ...place },
  'share.contact': {
    type: 'share.contact',
    name: 'Front desk',
    phone: '+15550199',
    email: 'desk@harbor.example',
    organization: 'Harbor House',
  },
  native: {
    type: 'native',
    channel: 'rcs',
    payload: { contentMessage: { text: 'As this channel has it' } },
    fallback: [{ type: 'text', text: 'As every other channel has it' }],
  },
}

const formatted: Part = {
  type: 'text',
  text: 'Your order **left the warehouse** this morning.\n\n- It arrives on *Thursday*\n- [Follow it](https://harbor.example/o/7)',
}

/** A part of its own, since text with markup takes a longer path than plain text. */
export const formattedText = 'text, formatted'

export const messages: Readonly<Record<string, ContentMessage>> = Object.fromEntries(
  Object.entries({ ...parts, [formattedText]: formatted }).map(([name, part]) => [
    name,
    { spec: 'amf/1', parts: [part] },
  ]),
)
