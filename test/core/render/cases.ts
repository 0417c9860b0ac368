/** One message or more for every part, such as agents send: what the golden files are made of. */
import type { ContentMessage, Part, PlainPart } from '../../../core/amf/index.js'

const tz = 'America/New_York'
const at = (iso: string) => ({ iso, tz })
const dinner = {
  title: 'Dinner for two',
  start: at('2026-11-20T19:00:00-05:00'),
  end: at('2026-11-20T21:00:00-05:00'),
  description: 'Window table, no nuts.',
  place: { label: 'Trattoria Roma', address: '12 Mulberry St, New York' },
}
const pizza = {
  title: 'Margherita',
  description: 'Tomato, mozzarella, basil.',
  mediaUrl: 'https://media.example/margherita.jpg',
}
const pasta = {
  title: 'Carbonara',
  description: 'Egg, guanciale, pecorino.',
  mediaUrl: 'https://media.example/carbonara.jpg',
}
const messageOf = (...parts: Part[]): ContentMessage => ({ spec: 'amf/1', parts })
const options = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ id: `t${place + 1}`, label: `Table ${place + 1}` }))

export const cases: Readonly<Record<PlainPart['type'] | 'native' | 'chips', Readonly<Record<string, ContentMessage>>>> =
  {
    text: {
      'markup of every kind': messageOf({
        type: 'text',
        text: 'Hello **Ada**, your *usual* table is ~~taken~~ free.\n\n- Inside\n- On the [terrace](https://roma.example/terrace)\n\n1. Come\n2. Eat 2*3 dishes & more\n',
      }),
      'typed values between words': messageOf({
        type: 'text',
        text: ['See you ', dinner.start, '. The menu is ', { amount: '49.50', currency: 'USD' }, ' a head.'],
      }),
      'words that look like markup': messageOf({
        type: 'text',
        text: 'Use \\*stars\\*, snake_case and <b>tags</b> “as is”…',
      }),
    },
    media: {
      'a picture': messageOf({
        type: 'media',
        kind: 'image',
        mediaUrl: 'https://media.example/room.jpg',
        alt: 'The room at night',
      }),
      'a film with its picture': messageOf({
        type: 'media',
        kind: 'video',
        mediaUrl: 'https://media.example/tour.mp4',
        alt: 'A tour',
        thumbnailUrl: 'https://media.example/tour.jpg',
      }),
    },
    card: {
      'with chips of several kinds': messageOf({
        type: 'card',
        card: {
          ...pizza,
          chips: [
            { label: 'Order it' },
            { label: 'See it', kind: 'url', url: 'https://roma.example/margherita' },
            { label: 'Call us', kind: 'dial', phone: '+12125550100' },
          ],
        },
      }),
      'without a picture': messageOf({
        type: 'card',
        card: { title: 'Closed on Mondays', description: 'See you on Tuesday.' },
      }),
    },
    carousel: {
      'of two': messageOf({
        type: 'carousel',
        cards: [
          { ...pizza, chips: [{ label: 'Order pizza' }] },
          { ...pasta, chips: [{ label: 'Order pasta' }] },
        ],
      }),
    },
    'ask.choice': {
      'of two': messageOf({
        type: 'ask.choice',
        intentId: 'where',
        prompt: 'Where would you like to sit?',
        options: [
          { id: 'in', label: 'Inside' },
          { id: 'out', label: 'On the terrace' },
        ],
      }),
      'of one': messageOf({
        type: 'ask.choice',
        intentId: 'where',
        prompt: 'One place is left.',
        options: [{ id: 'bar', label: 'At the bar' }],
      }),
      'with descriptions, one label too long for a chip': messageOf({
        type: 'ask.choice',
        intentId: 'menu',
        prompt: 'Which menu?',
        options: [
          { id: 'short', label: 'Lunch', description: 'Two courses' },
          { id: 'long', label: 'The chef’s seasonal tasting menu', description: 'Seven courses, three hours' },
        ],
      }),
      'of twelve': messageOf({ type: 'ask.choice', intentId: 'table', prompt: 'Which table?', options: options(12) }),
    },
    'ask.time': {
      'of three': messageOf({
        type: 'ask.time',
        intentId: 'when',
        prompt: 'When shall we expect you?',
        slots: [
          { id: 'a', start: at('2026-11-20T18:00:00-05:00') },
          { id: 'b', start: at('2026-11-20T19:00:00-05:00') },
          { id: 'c', start: at('2026-11-21T12:30:00-05:00'), label: 'Saturday lunch' },
        ],
      }),
      'in the morning and in the evening': messageOf({
        type: 'ask.time',
        intentId: 'when',
        prompt: 'When shall we expect you?',
        slots: [
          { id: 'a', start: at('2026-11-18T10:30:00-05:00') },
          { id: 'b', start: at('2026-11-18T22:30:00-05:00') },
        ],
      }),
      'in another zone than the reader’s': messageOf({
        type: 'ask.time',
        intentId: 'when',
        prompt: 'When shall we call?',
        slots: [
          { id: 'a', start: { iso: '2030-11-18T10:30:00+05:30', tz: 'Asia/Kolkata' } },
          { id: 'b', start: { iso: '2030-11-18T22:30:00+05:30', tz: 'Asia/Kolkata' } },
          { id: 'c', start: { iso: '2030-11-19T10:30:00+05:30', tz: 'Asia/Kolkata' } },
        ],
      }),
      'of one': messageOf({
        type: 'ask.time',
        intentId: 'when',
        prompt: 'This is all that is left:',
        slots: [{ id: 'a', start: at('2026-11-20T18:00:00-05:00') }],
      }),
    },
    confirm: {
      'with details': messageOf({
        type: 'confirm',
        intentId: 'book',
        prompt: 'Shall I book this?',
        details: [
          { label: 'When', value: dinner.start },
          { label: 'Deposit', value: { amount: '20', currency: 'USD' } },
          { label: 'Name', value: 'Ada' },
        ],
      }),
      'with labels of its own': messageOf({
        type: 'confirm',
        intentId: 'book',
        prompt: 'Still coming tonight?',
        yesLabel: 'On my way',
        noLabel: 'Cancel',
      }),
    },
    showcase: {
      'of two': messageOf({
        type: 'showcase',
        intentId: 'dish',
        prompt: 'Tonight we recommend:',
        items: [
          { id: 'pizza', ...pizza },
          { id: 'pasta', ...pasta },
        ],
      }),
      'of one': messageOf({
        type: 'showcase',
        intentId: 'dish',
        prompt: 'Dish of the day',
        items: [{ id: 'pizza', ...pizza }],
      }),
      'of two without pictures, with chips': messageOf({
        type: 'showcase',
        intentId: 'dish',
        items: [
          {
            id: 'a',
            title: 'Wine pairing',
            chips: [{ label: 'List', kind: 'url', url: 'https://roma.example/wines' }],
          },
          {
            id: 'b',
            title: 'Water',
            description: 'Still or sparkling',
            chips: [{ label: 'Still' }, { label: 'Sparkling' }],
          },
        ],
      }),
    },
    'ask.location': {
      alone: messageOf({ type: 'ask.location', intentId: 'where', prompt: 'Where shall we deliver?' }),
    },
    'share.event': {
      'with everything': messageOf({ type: 'share.event', ...dinner }),
    },
    'share.place': {
      'with an address': messageOf({
        type: 'share.place',
        label: 'Trattoria Roma',
        address: '12 Mulberry St, New York',
      }),
      'with coordinates alone': messageOf({ type: 'share.place', latitude: 40.7193, longitude: -73.9973 }),
    },
    'share.contact': {
      'with everything': messageOf({
        type: 'share.contact',
        name: 'Ada Rossi',
        organization: 'Trattoria Roma',
        phone: '+1 212 555 0100',
        email: 'ada@roma.example',
        url: 'https://roma.example',
      }),
    },
    native: {
      'for rcs': messageOf({
        type: 'native',
        channel: 'rcs',
        payload: { contentMessage: { text: 'Only here' } },
        fallback: [{ type: 'text', text: 'Everywhere else' }],
      }),
    },
    chips: {
      'of every kind below text': {
        ...messageOf({ type: 'text', text: 'What next?' }),
        chips: [
          { label: 'Book a table' },
          { label: 'See the menu', kind: 'url', url: 'https://roma.example/menu' },
          { label: 'Call us', kind: 'dial', phone: '+12125550100' },
          { label: 'Save the date', kind: 'calendar', event: dinner },
          { label: 'Find us', kind: 'viewLocation', place: { address: '12 Mulberry St, New York' } },
          { label: 'Send my location', kind: 'shareLocation' },
          { label: 'Stop' },
        ],
      },
      'below a question': {
        ...messageOf({ type: 'ask.choice', intentId: 'where', prompt: 'Where?', options: options(2) }),
        chips: [{ label: 'Talk to a person' }],
      },
      'of a question that another message follows': {
        ...messageOf(
          { type: 'ask.choice', intentId: 'where', prompt: 'Where?', options: options(2) },
          { type: 'confirm', intentId: 'sure', prompt: 'Is tonight fine?' },
        ),
      },
      'a single link': {
        ...messageOf({ type: 'text', text: 'Our menu changed.' }),
        chips: [{ label: 'See it', kind: 'url', url: 'https://roma.example/menu' }],
      },
      'below a carousel': {
        ...messageOf({ type: 'carousel', cards: [pizza, pasta] }),
        chips: [{ label: 'More dishes' }, { label: 'Back' }],
      },
    },
  }
