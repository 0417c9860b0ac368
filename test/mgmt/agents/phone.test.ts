/** Phone numbers as operators write them. */
import fc from 'fast-check'
import t from 'tap'
import { parsePhone } from '../../../mgmt/agents/phone.js'

t.test('A number in any common format is read as E.164, one without a country code as American', async (t) => {
  const read: Record<string, string> = {
    '(415) 555-2671': '+14155552671',
    '415-555-2671': '+14155552671',
    '415.555.2671': '+14155552671',
    '4155552671': '+14155552671',
    '1 415 555 2671': '+14155552671',
    '+1 (415) 555-2671': '+14155552671',
    'tel:+1-415-555-2671': '+14155552671',
    '+44 (0)20 7946 0958': '+442079460958',
    '0044 20 7946 0958': '+442079460958',
    '011 44 20 7946 0958': '+442079460958',
    ' +49 30/901820 ': '+4930901820',
    '+15550100': '+15550100',
  }
  for (const [written, number] of Object.entries(read)) t.equal(parsePhone(written), number, written)
})

t.test('Text that is not a phone number is read as none', async (t) => {
  const none = [
    '',
    '+',
    'call me',
    '123',
    '555-2671',
    '115 555 2671',
    '+0123456789',
    '4155552671 ext 5',
    '+1234567890123456',
    '4155552671+1',
  ]
  for (const written of none) t.equal(parsePhone(written), undefined, written)
})

t.test('Any parsed number is E.164 and parses to itself', async (t) => {
  const characters = fc.constantFrom(...'01234567892345678923456789-. ')
  let numbers = 0
  fc.assert(
    fc.property(
      fc.constantFrom('', '+', '+1', '00', '(415)'),
      fc.string({ unit: characters, maxLength: 16 }),
      (begin, rest) => {
        const number = parsePhone(begin + rest)
        if (number === undefined) return true
        numbers++
        return /^\+[1-9]\d{6,14}$/.test(number) && parsePhone(number) === number
      },
    ),
    { numRuns: 2_000 },
  )
  t.ok(numbers > 10, 'some of them were numbers')
})
