/** The calendar behind scheduling at a real CalDAV server: what others write is busy, what we write is there once. */
import t from 'tap'
import type { CalendarChange } from '../../../mgmt/calendar/index.js'
import { calendarOf, eventOf } from '../../core/calendar/texts.js'
import { openTestNode } from '../../harness/node.js'
import { TestRadicale } from '../../harness/radicale.js'
import { agent, portOpener, show, toolContext } from './fixture.js'

const radicale = await TestRadicale.start('America/New_York')
t.teardown(() => radicale.stop())
const node = await openTestNode()
t.teardown(() => node.close())
await node.mgmt('POST', '/v1/orgs/demo/agents', { token: node.key, json: { name: 'Nova', id: 'nova' } })
const openPort = portOpener(t, node)
const config = { calendarUrl: radicale.url, username: radicale.username, password: radicale.password }

const [from, to] = ['2026-03-02', '2026-03-16'].map((day) => Date.parse(`${day}T00:00:00Z`)) as [number, number]
const change: CalendarChange = {
  kind: 'create',
  appointmentId: 'appt_1',
  start: Date.parse('2026-03-04T15:00:00Z'),
  durationMinutes: 45,
  title: 'Measure the kitchen; Müller, 3rd floor',
  notes: 'Line one\nline two',
  attendeeEmail: 'bea@example.org',
}

/** Radicale takes no time in a zone that is not defined beside it. */
const newYork = [
  ...['BEGIN:VTIMEZONE', 'TZID:America/New_York'],
  ...['BEGIN:DAYLIGHT', 'DTSTART:20070311T020000', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU'],
  ...['TZOFFSETFROM:-0500', 'TZOFFSETTO:-0400', 'END:DAYLIGHT'],
  ...['BEGIN:STANDARD', 'DTSTART:20071104T020000', 'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU'],
  ...['TZOFFSETFROM:-0400', 'TZOFFSETTO:-0500', 'END:STANDARD', 'END:VTIMEZONE'],
].join('\r\n')

/** Each test begins with an empty calendar, and a port without a cache. */
async function begin(more: object = {}) {
  for (const file of (await radicale.events()).keys()) await radicale.request('DELETE', file)
  const port = openPort()
  await port.bind({ ...config, ...more })
  return { port, busy: async (id?: string) => show(await port.busy(agent, id, from, to)) }
}

t.test('R46, decision 21: an event that we write is busy, with the buffer around it', async (t) => {
  const { port, busy } = await begin({ bufferMinutes: 15 })
  t.same(await busy(), [])
  t.equal(await port.write(agent, change, 'id-1'), 'done')
  t.same(await busy(), ['2026-03-04T14:45 2026-03-04T16:00'], 'at once, though the calendar was just read')
  const [text] = [...(await radicale.events()).values()]
  t.match(text, /SUMMARY:Measure the kitchen\\; Müller\\, 3rd floor/)
  t.match(text, /DESCRIPTION:Line one\\nline two/)
  const unfolded = text?.replace(/\r?\n /g, '')
  t.match(unfolded, 'ORGANIZER:mailto:ada@example.org')
  t.match(unfolded, /ATTENDEE;[^:]*:mailto:bea@example.org/)
})

t.test('R46: the same write twice is one event, and the second changes nothing', async (t) => {
  const { port } = await begin()
  t.equal(await port.write(agent, change, 'id-1'), 'done')
  const once = await radicale.events()
  t.equal(await port.write(agent, change, 'id-1'), 'done')
  const move: CalendarChange = { ...change, kind: 'move', start: change.start + 3_600_000 }
  t.equal(await port.write(agent, move, 'id-2'), 'done')
  const moved = await radicale.events()
  t.equal(moved.size, 1)
  t.notSame(moved, once)
  t.equal(await port.write(agent, move, 'id-2'), 'done')
  t.equal(await port.write(agent, change, 'id-1'), 'done', 'a create that comes late')
  t.same(await radicale.events(), moved)
  t.match([...moved.values()][0], 'SEQUENCE:1')
})

t.test('R46: an appointment that moves, and is cancelled', async (t) => {
  const { port, busy } = await begin()
  await port.write(agent, change, 'id-1')
  await port.write(agent, { ...change, kind: 'move', start: change.start + 86_400_000, durationMinutes: 30 }, 'id-2')
  t.same(await busy(), ['2026-03-05T15:00 2026-03-05T15:30'])
  t.equal(await port.write(agent, { ...change, kind: 'remove' }, 'id-3'), 'done')
  t.same(await busy(), [])
  t.equal((await radicale.events()).size, 0)
  t.equal(await port.write(agent, { ...change, kind: 'remove' }, 'id-3'), 'done', 'an event that is not there')
  t.equal(await port.write(agent, { ...change, kind: 'move' }, 'id-4'), 'done')
  t.same(await busy(), ['2026-03-04T15:00 2026-03-04T15:45'], 'one that people removed comes back when it moves')
})

t.test('R46: what people add to an event in their calendar stays when it moves', async (t) => {
  const { port, busy } = await begin()
  await port.write(agent, change, 'id-1')
  const [[file, text]] = [...(await radicale.events())] as [[string, string]]
  const edited = text
    .replace(/DTSTART:.*/, 'DTSTART;TZID=America/New_York:20260306T090000')
    .replace(/DTEND:.*/, 'DURATION:PT2H')
    .replace(/SUMMARY:.*/, 'SUMMARY:Kitchen with Bea\r\nLOCATION:Main St 1\r\nX-COLOUR:red')
  await radicale.request('PUT', file, edited)
  await port.write(agent, { ...change, kind: 'move' }, 'id-2')
  t.same(await busy(), ['2026-03-04T15:00 2026-03-04T15:45'])
  const [moved] = [...(await radicale.events()).values()]
  for (const line of ['SUMMARY:Kitchen with Bea', 'LOCATION:Main St 1', 'X-COLOUR:red']) t.match(moved, line)
})

t.test('Decision 21: a recurring event of others is busy on each day, over a change of clocks', async (t) => {
  const { busy } = await begin()
  const zone = ';TZID=America/New_York'
  const lines = [`DTSTART${zone}:20250103T090000`, `DTEND${zone}:20250103T093000`, 'RRULE:FREQ=WEEKLY;BYDAY=FR,MO,SU']
  const series = eventOf(...lines, `EXDATE${zone}:20260309T090000`, 'SUMMARY:Standup')
  await radicale.request('PUT', 'standup.ics', series.replace('BEGIN:VEVENT', `${newYork}\r\nBEGIN:VEVENT`))
  t.same(
    await busy(),
    ['02T14', '06T14', '08T13', '13T13', '15T13'].map((at) => `2026-03-${at}:00 2026-03-${at}:30`),
    'clocks change on the 8th, and the 9th is an exception',
  )
})

t.test(
  'Decision 21: all-day events are in the zone of the calendar; free and cancelled ones do not count',
  async (t) => {
    const { busy, port } = await begin()
    await radicale.request('PUT', 'day.ics', eventOf('DTSTART;VALUE=DATE:20260308', 'DTEND;VALUE=DATE:20260309'))
    await radicale.request(
      'PUT',
      'free.ics',
      eventOf('DTSTART;VALUE=DATE:20260310', 'TRANSP:TRANSPARENT').replace('one', 'two'),
    )
    const cancelled = eventOf('DTSTART;VALUE=DATE:20260311', 'STATUS:CANCELLED').replace('one', 'three')
    await radicale.request('PUT', 'cancelled.ics', cancelled)
    t.same(await busy(), ['2026-03-08T05:00 2026-03-09T04:00'])
    t.same(
      port.requests.map(({ method }) => method),
      ['REPORT', 'PROPFIND'],
    )
  },
)

t.test('Decision 21: an appointment of one representative leaves the others free', async (t) => {
  const { port, busy } = await begin()
  await port.write(agent, { ...change, representativeId: 'rep-1' }, 'id-1')
  await radicale.request('PUT', 'x.ics', eventOf('DTSTART:20260305T100000Z', 'DTEND:20260305T110000Z'))
  const [theirs, all] = ['2026-03-04T15:00 2026-03-04T15:45', '2026-03-05T10:00 2026-03-05T11:00']
  t.same(await busy('rep-1'), [theirs, all])
  t.same(await busy('rep-2'), [all])
  t.same(await busy(), [theirs, all])
  await port.write(agent, { ...change, kind: 'move', representativeId: 'rep-2' }, 'id-2')
  t.same(await busy('rep-1'), [all], 'and one that changes hands is the other’s')
})

t.test('R46: an event of others that cannot be read does not hide the rest, and the log says so', async (t) => {
  const { port, busy } = await begin()
  await port.write(agent, change, 'id-1')
  const long = calendarOf(
    'BEGIN:VEVENT',
    'UID:long',
    ...['DTSTART:20260305T100000Z', 'DTEND:20260305T110000Z', 'RRULE:FREQ=DAILY;COUNT=3'],
    ...Array(3_000).fill('EXDATE:20260401T100000Z'),
    'END:VEVENT',
  )
  await radicale.request('PUT', 'long.ics', long)
  t.same(await busy(), ['2026-03-04T15:00 2026-03-04T15:45'])
  t.match(await port.log(), [{ event: 'scheduling.failed', data: { reason: /Some events/ } }])
})

t.test('Decision 14: the calendar tool lists, creates, moves and removes, and takes no other events', async (t) => {
  const { port } = await begin()
  const call = async (given: object, id: string) => (await port.callTool(given, id)).outcome
  const times = { from: '2026-03-04T10:00:00-05:00', to: '2026-03-04T11:00:00-05:00' }
  const created = await call({ action: 'create', title: 'Call back', ...times }, 'call-1')
  t.match(created, { state: 'ok', result: times })
  t.same(
    await call({ action: 'create', title: 'Call back', ...times }, 'call-1'),
    created,
    'a repeat is the same event',
  )
  t.equal((await radicale.events()).size, 1)
  const window = { from: '2026-03-04T00:00:00-05:00', to: '2026-03-05T00:00:00-05:00' }
  t.same(await call({ action: 'busy', ...window }, 'call-2'), { state: 'ok', result: { ...window, busy: [times] } })
  const { eventId } = (created as { result: { eventId: string } }).result
  const later = { from: '2026-03-09T10:00:00-04:00', to: '2026-03-09T11:30:00-04:00' }
  t.match(await call({ action: 'move', eventId, ...later }, 'call-3'), { state: 'ok', result: later })
  t.same(show(await port.busy(agent, undefined, from, to)), ['2026-03-09T14:00 2026-03-09T15:30'])
  t.match([...(await radicale.events()).values()][0], 'SUMMARY:Call back')
  t.match(await call({ action: 'remove', eventId }, 'call-4'), { state: 'ok', result: { eventId } })
  t.match(await call({ action: 'move', eventId, ...later }, 'call-5'), { state: 'refused', reason: /no such event/ })
  await radicale.request('PUT', 'private.ics', eventOf('DTSTART:20260305T100000Z', 'DTEND:20260305T110000Z'))
  for (const id of ['private', '../private', 'one', ''])
    t.match(await call({ action: 'remove', eventId: id }, 'call-6'), { state: 'refused' }, id)
  t.equal((await radicale.events()).size, 1)
})

t.test('Decision 36: the sandbox captures writes of the tool, and reads the calendar itself', async (t) => {
  const { port } = await begin()
  await port.write(agent, change, 'id-1')
  const sandbox = { ...toolContext, sandbox: true as const }
  const times = { from: '2026-03-04T10:00:00-05:00', to: '2026-03-04T11:00:00-05:00' }
  const { outcome, effects } = await port.callTool({ action: 'create', title: 'A', ...times }, 'c', sandbox)
  t.match(outcome, { state: 'captured', result: times })
  t.match(effects, [{ kind: 'calendar', payload: { action: 'create', title: 'A' }, at: node.clock.now() }])
  t.equal((await radicale.events()).size, 1)
  const busy = await port.callTool({ action: 'busy', ...times }, 'd', sandbox)
  t.match(busy, { outcome: { state: 'ok', result: { busy: [{}] } }, effects: undefined })
})

t.test('Arguments that do not fit are refused with a reason, and nothing is sent', async (t) => {
  const { port } = await begin()
  const times = { from: '2026-03-04T10:00:00-05:00', to: '2026-03-04T11:00:00-05:00' }
  const bad = [
    {},
    { action: 'forget' },
    { action: 'busy' },
    { action: 'busy', ...times, to: times.from },
    { action: 'busy', from: '2026-03-04T10:00:00', to: times.to },
    { action: 'busy', from: '2026-13-04T10:00:00Z', to: times.to },
    { action: 'busy', from: '2026-01-01T10:00:00Z', to: times.to },
    { action: 'create', ...times },
    { action: 'create', title: 'A', from: times.from, to: '2026-03-06T11:00:00-05:00' },
    { action: 'create', title: 'x'.repeat(201), ...times },
    { action: 'create', title: 'A', ...times, more: 1 },
    { action: 'move', ...times },
    { action: 'remove' },
  ]
  for (const given of bad) {
    const { outcome } = await port.callTool(given, 'c')
    t.match(outcome, { state: 'refused', reason: /\.$/ }, JSON.stringify(given))
  }
  t.same(port.requests, [])
})
