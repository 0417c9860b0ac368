/** The time that a list is about. */
import t from 'tap'
import { isRefusal } from '../../../core/errors.js'
import { traffic as limits } from '../../../core/limits/index.js'
import { parseWindow } from '../../../core/traffic/window.js'

const now = Date.parse('2030-05-17T12:00:00Z')
const day = limits.windowMs

t.test('A list without times goes back 24 hours from now, or from its end', async (t) => {
  t.same(parseWindow({}, now), { from: now - day })
  t.same(parseWindow({ end: '2030-05-01T00:00:00Z' }, now), {
    from: Date.parse('2030-04-30T00:00:00Z'),
    until: Date.parse('2030-05-01T00:00:00Z'),
  })
})

t.test('Times are ISO-8601 with their offset, a day, or milliseconds since 1970', async (t) => {
  const from = Date.parse('2030-05-16T22:30:00Z')
  for (const start of ['2030-05-16T22:30:00Z', '2030-05-17T00:30:00+02:00', '2030-05-16T22:30:00.000Z', String(from)]) {
    t.same(parseWindow({ start }, now), { from })
  }
  t.same(parseWindow({ start: '2030-05-17' }, now), { from: Date.parse('2030-05-17T00:00:00Z') })
})

t.test('An invalid time, and a start after its end, are refused by their names', async (t) => {
  const wrong = {
    start: ['yesterday', '', '-5', '1e3', '2030-05-17T10:00:00', '2030-02-30', '9'.repeat(16)],
    end: ['now'],
  }
  for (const [field, texts] of Object.entries(wrong)) {
    for (const text of texts) {
      const refused = parseWindow({ [field]: text }, now)
      t.ok(isRefusal(refused) && refused.errors?.[0]?.field === field, `${field} ${text}`)
    }
  }
  t.match(parseWindow({ start: '2', end: '1' }, now), {
    errors: [{ field: 'start', message: 'must not be after end' }],
  })
  t.same(parseWindow({ start: '2', end: '2' }, now), { from: 2, until: 2 })
})
