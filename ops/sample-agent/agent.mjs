/**
 * A whole agent in one file, as a partner would write it: Node alone, no package. It answers Parley's webhook with
 * every
 * kind of part, in each of the three ways there are: AML text, JSON, and NDJSON line by line.
 *
 *   SIGNING_SECRET=ws-svc-… PORT=9000 node agent.mjs
 *
 * The secret is what POST …/gateway/_rotateSecret answered; without one nothing is checked. PICTURE_URL, a public https
 * address of a picture, adds one to the menu.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const stalestSeconds = 300

/** Whether Parley sent the request recently. The signature covers the raw bytes, not re-serialized JSON. */
function isFromParley(secret, headers, body) {
  const timestamp = String(headers['x-svc-request-timestamp'] ?? '')
  const given = Buffer.from(String(headers['x-svc-signature'] ?? ''))
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= stalestSeconds)) return false
  const expected = Buffer.from(
    `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`,
  )
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Text of a person inside AML: no marker begins in it. */
const quoted = (words) => `“${String(words).replaceAll('[[', '\\[[')}”`

const aml = (text) => ({ type: 'text/svc-aml', body: text })
const json = (...messages) => ({ type: 'application/json', body: JSON.stringify({ messages }) })
const lines = (...messages) => ({
  type: 'application/x-ndjson',
  body: messages.map((message) => `${JSON.stringify({ message })}\n`).join(''),
})
const message = (...parts) => ({ spec: 'amf/1', parts })
const text = (words) => ({ type: 'text', text: words })

const zone = 'Europe/Lisbon'
/** A full hour, some days from now. */
const hourIn = (days, hour) =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T${String(hour).padStart(2, '0')}:00:00+00:00`
const moment = (days, hour) => ({ iso: hourIn(days, hour), tz: zone })

const rooms = [
  { id: 'blue', title: 'Blue room', description: 'Faces the harbor, two beds' },
  { id: 'green', title: 'Green room', description: 'Quiet, above the garden' },
  { id: 'attic', title: 'Attic', description: 'One bed under the stars' },
]
const place = { label: 'Harbor Hotel', address: 'Rua do Cais 1, Lisboa' }
const stay = {
  title: 'Stay at the Harbor Hotel',
  start: moment(7, 15),
  end: moment(9, 11),
  description: 'Two nights, breakfast included',
  place,
}

/** The menu: the label of each item, and its answer. */
const menu = {
  rooms: {
    label: 'See the rooms',
    answer: () => json(message({ type: 'showcase', intentId: 'room', prompt: 'These are free:', items: rooms })),
  },
  time: {
    label: 'Pick a time',
    answer: () =>
      aml(`[[ask.time #time | When shall we expect you?
t1 = ${hourIn(1, 10)} ~ Tomorrow at ten
t2 = ${hourIn(1, 14)} ~ Tomorrow at two
t3 = ${hourIn(2, 10)} ~ The day after at ten
]]`),
  },
  visit: {
    label: 'How to find us',
    answer: () =>
      aml(`[[place: ${place.label} | ${place.address}]]
[[contact: Harbor Hotel | +351210000000 | desk@harbor.example | https://harbor.example]]
[[ask.location #where | Or tell us where you are, and we tell you how far it is.]]`),
  },
  cards: {
    label: 'Cards and chips',
    answer: () =>
      json({
        ...message(
          text('A **card**, some _more_ of them, and chips of every kind.'),
          {
            type: 'card',
            card: {
              title: 'Breakfast',
              description: 'From seven to eleven, on the terrace.',
              chips: [{ label: 'I want that', value: 'breakfast' }],
            },
          },
          {
            type: 'carousel',
            cards: rooms.map(({ title, description }) => ({
              title,
              description,
              chips: [{ label: `Ask for ${title}` }],
            })),
          },
        ),
        chips: [
          { label: 'Our site', kind: 'url', url: 'https://harbor.example/rooms' },
          { label: 'Call us', kind: 'dial', phone: '+351210000000' },
          { label: 'Note the date', kind: 'calendar', event: stay },
          { label: 'Show the map', kind: 'viewLocation', place },
          { label: 'Menu' },
        ],
      }),
  },
  steps: {
    label: 'Several messages',
    answer: () =>
      lines(
        { spec: 'amf/1', signal: 'typing' },
        message(text('First, your booking:')),
        message({ type: 'share.event', ...stay }),
        message({ type: 'share.contact', name: 'Harbor Hotel', phone: '+351210000000', email: 'desk@harbor.example' }),
        { ...message(text('That was one answer, line by line.')), chips: [{ label: 'Menu' }] },
      ),
  },
  native: {
    label: 'Something native',
    answer: () =>
      json(
        message({
          type: 'native',
          channel: 'rcs',
          payload: { contentMessage: { text: 'This was written for RCS alone.' } },
          fallback: [text('RCS has something of its own here; you get words.')],
        }),
      ),
  },
  relay: {
    label: 'RCS, else text',
    answer: () =>
      json({
        ...message(text('This goes out on RCS, and as a text message to a phone that RCS does not reach.')),
        delivery: { channels: ['rcs', 'sms'], fallbackOn: ['sendFailed'] },
      }),
  },
}
if (process.env.PICTURE_URL) {
  menu.picture = {
    label: 'A picture',
    answer: () => aml(`[[media: ${process.env.PICTURE_URL} | The harbor in the morning]]`),
  }
}

const menuAsked = (words) =>
  aml(`${words}

[[ask.choice #menu | What would you like to see?
${Object.entries(menu)
  .map(([id, { label }]) => `${id} = ${label}`)
  .join('\n')}
]]`)

const sure = (what) =>
  aml(`[[confirm #sure | Shall we book this?
What: ${what}
Price: 94.00 EUR
]]`)

/** The answer to each question, by its intent id. */
const answered = {
  menu: ({ optionIds: [chosen] }) => menu[chosen].answer(),
  room: ({ labels: [room] }) => sure(room),
  time: ({ labels: [slot] }) => sure(`A visit, ${slot}`),
  sure: ({ optionIds: [said] }) =>
    said === 'yes'
      ? json({
          ...message(text('Booked. Keep the date:'), { type: 'share.event', ...stay }),
          chips: [{ label: 'Menu' }],
        })
      : menuAsked('Not booked, then.'),
  where: ({ text: said }) =>
    menuAsked(said ? `Thank you, we note ${quoted(said)}.` : 'Thank you, we found you on the map.'),
}

/** The answer to an event; undefined where no answer is needed. */
export function answerTo(event) {
  if (event.type === 'result') {
    const { intentId, labels = [] } = event.result
    const lead = answered[intentId]
    if (lead) return lead(event.result)
    return menuAsked(labels[0] === 'Menu' ? 'Here you are.' : `You tapped ${quoted(labels.join(', '))}.`)
  }
  if (event.type !== 'message') return undefined
  const { text: said, place: shared, media } = event.message
  if (shared) return menuAsked('Thank you, we found you on the map.')
  if (media) return menuAsked('Thank you for the picture.')
  return menuAsked(
    /^(hi|hello|menu)\b/i.test(said ?? '') ? 'Welcome to the Harbor Hotel!' : `You said ${quoted(said)}.`,
  )
}

/**
 * Resolves with the server once it listens, on a free port when the wanted one is in use; `onEvent` is called with each
 * event and the body that answers it.
 */
export async function serve({ port = 0, host = '127.0.0.1', secret = '', onEvent = (_envelope, _answer) => {} } = {}) {
  const server = createServer(async (request, response) => {
    try {
      const body = Buffer.concat(await request.toArray())
      if (secret && !isFromParley(secret, request.headers, body)) return response.writeHead(401).end()
      const envelope = JSON.parse(body)
      const answer = answerTo(envelope.event.event)
      onEvent(envelope, answer?.body)
      if (!answer) return response.writeHead(204).end()
      response.writeHead(200, { 'content-type': answer.type }).end(answer.body)
    } catch {
      response.writeHead(400).end()
    }
  })
  await new Promise((done, failed) => {
    server.once('listening', done)
    server.once('error', (error) => {
      if (error.code === 'EADDRINUSE' && port !== 0) server.once('error', failed).listen(0, host)
      else failed(error)
    })
    server.listen(port, host)
  })
  return server
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await serve({ port: Number(process.env.PORT ?? 9000), secret: process.env.SIGNING_SECRET })
  console.log(`The sample agent listens at http://127.0.0.1:${server.address().port}/`)
}
