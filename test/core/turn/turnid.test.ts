/** Ids of turns. */
import fc from 'fast-check'
import t from 'tap'
import { pathIdPattern } from '../../../core/ids.js'
import { parseTurnId, turnIdOf } from '../../../core/turn/turnid.js'

const asid = fc.stringMatching(/^[A-Za-z0-9_-]{1,100}$/)
const count = fc.maxSafeNat()

t.test('R58: the id of a turn names person, start and number, and every other text is no id', async (t) => {
  fc.assert(
    fc.property(asid, count, count, (who, startedAt, number) => {
      const id = turnIdOf(who, startedAt, number)
      t.strictSame(parseTurnId(id), { asid: who, startedAt, number }, { diagnostic: false })
    }),
  )
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9_.-]{0,30}$/)), (text) => {
      const parts = parseTurnId(text)
      return parts === undefined || turnIdOf(parts.asid, parts.startedAt, parts.number) === text
    }),
    { numRuns: 2_000 },
  )
})

t.test('R58: a malformed id is refused, however close it is to one', async (t) => {
  const id = turnIdOf('usr_hy8r4hpjx7sysrpwsmv8h1jdg4', 1_772_366_495_500, 4)
  t.match(id, new RegExp(pathIdPattern), 'it fits into a path')
  const wrong = [
    ...['', '.', '-', 'ada', 'ada.', 'ada.1', 'ada.1-', 'ada.-1', '.1-1', 'ada.1-1-1', 'ada.1.1', 'a.b.1-1'],
    ...['ada.01-1', 'ada.1-01', 'ada.A-1', 'ada.1-A', ' ada.1-1', 'ada.1-1\n', 'ada.+1-1', 'ada.1e3-1.5', 'ada.--1'],
    ...['ada.zzzzzzzzzzz-1', 'ada.1-zzzzzzzzzzz', 'ada/.1-1', 'ädä.1-1', `${'a'.repeat(101)}.1-1`, `${id}0000000000`],
  ]
  for (const text of wrong) t.equal(parseTurnId(text), undefined, JSON.stringify(text).slice(0, 60))
})
