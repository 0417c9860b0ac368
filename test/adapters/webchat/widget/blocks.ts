/** What an agent of a hotel shows, one of each kind, as the gateway tells it. */
import type { Block, Chip } from '../../../../adapters/webchat/frames.js'

const reply = (label: string, tap: number): Chip => ({ label, kind: 'reply', tap: `p1.m.${tap}` })

export const greeting: Block = {
  kind: 'text',
  text: 'Good evening! I can **book a room**, show you around, or tell you *when the harbor sauna is free*.\n\n- Breakfast is from 7 to 11\n- Late check-out costs ~~30~~ 20 EUR\n\nMore at [our house rules](https://harbor.example/rules).',
  chips: [reply('Book a room', 0), reply('Opening hours', 1)],
}

export const rooms = (origin: string): Block => ({
  kind: 'carousel',
  cards: [
    ['Harbor room', 'Faces the water. King bed, balcony.', 'dawn'],
    ['Garden room', 'Quiet, with a terrace of its own.', 'noon'],
    ['Tower suite', 'Two floors and a view of everything.', 'dusk'],
  ].map(([title, description, name], at) => ({
    title: title!,
    description: description!,
    mediaUrl: `${origin}/pictures/${name}.svg`,
    chips: [reply('Select', at * 2), reply('Details', at * 2 + 1)],
  })),
})

export const list: Block = {
  kind: 'list',
  text: 'What brings you here?',
  rows: ['Holiday', 'Work', 'A wedding', 'Sailing', 'The food', 'Something else'].map((label, at) => ({
    label,
    tap: `p1.m.${at}`,
    ...(at < 2 && { description: at === 0 ? 'A week or more is cheaper' : 'Desk and fast internet in every room' }),
  })),
}

const slots = ['2026-10-24T10:00:00+02:00', '2026-10-24T14:30:00+02:00', '2026-10-25T10:00:00+01:00']
export const times: Block = {
  kind: 'times',
  text: 'When would you like to arrive?',
  slots: slots.map((iso, at) => ({
    label: ['Sat, Oct 24, 10:00 AM', 'Sat, Oct 24, 2:30 PM', 'Sun, Oct 25, 10:00 AM'][at]!,
    start: { iso, tz: 'Europe/Berlin' },
    tap: `p1.m.${at}`,
  })),
}

export const receipt: Block = {
  kind: 'card',
  card: {
    title: 'Shall I book it?',
    description: 'Room: Harbor room\nArrival: Sat, Oct 24, 2026, 10:00 AM\nPrice: €129.00',
    chips: [reply('Yes, book it', 0), reply('No', 1)],
  },
}

export const whereabouts: Block = {
  kind: 'text',
  text: 'Where shall we pick you up?',
  chips: [{ label: 'Share location', kind: 'shareLocation', tap: 'p1.m.0' }],
}

export const actions: Block = {
  kind: 'text',
  text: 'See you soon!',
  chips: [
    {
      label: 'Add to calendar',
      kind: 'calendar',
      tap: 'p1.m.0',
      event: {
        title: 'Arrival at Harbor Hotel',
        start: { iso: slots[0]!, tz: 'Europe/Berlin' },
        end: { iso: slots[1]!, tz: 'Europe/Berlin' },
      },
    },
    { label: 'View on map', kind: 'viewLocation', tap: 'p1.m.1', place: { latitude: 54.3, longitude: 10.1 } },
    { label: 'Call us', kind: 'dial', tap: 'p1.m.2', phone: '+49 431 555-0100' },
    { label: 'Open the menu', kind: 'url', tap: 'p1.m.3', url: 'https://harbor.example/menu' },
  ],
}

export const pictures = (origin: string): Block[] => [
  { kind: 'media', media: { kind: 'image', url: `${origin}/pictures/night.svg`, alt: 'The harbor at night' } },
  { kind: 'media', media: { kind: 'file', url: `${origin}/files/House%20rules.pdf` } },
]

export const words = (text: string): Block => ({ kind: 'text', text })
