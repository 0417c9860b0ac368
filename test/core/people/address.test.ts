/** Addresses: one form for every number, whichever way it is written and whichever variant a country has of it. */
import fc from 'fast-check'
import t from 'tap'
import { channelNames } from '../../../core/channelnames.js'
import { normalizeAddress, parsePhone, phoneOf } from '../../../core/people/address.js'

const digit = fc.constantFrom(...'0123456789')
const digits = (count: number) => fc.string({ unit: digit, minLength: count, maxLength: count })
const countryCodes = [
  '1',
  '7',
  '20',
  '33',
  '36',
  '39',
  '44',
  '49',
  '52',
  '54',
  '55',
  '61',
  '86',
  '91',
  '234',
  '351',
  '375',
  '852',
  '971',
]
/** Numbers of any country that are written with their country code, real or not. */
const anyNumber = fc
  .tuple(fc.constantFrom(...countryCodes), fc.integer({ min: 6, max: 12 }).chain(digits))
  .map(([code, rest]) => `+${code}${rest}`)

t.test(
  'A phone number in international format is read as E.164; spaces, dashes, dots and parentheses are ignored',
  async (t) => {
    for (const [text, phone] of [
      ['+1 (415) 555-0100', '+14155550100'],
      ['+1.415.555.0100', '+14155550100'],
      [' +44 (0)20 7946 0958 ', '+442079460958'],
      ['0044 20 7946 0958', '+442079460958'],
      ['\u202a+49\u00a030\u2011123456\u202c', '+4930123456'],
      ['+39 06 1234 5678', '+390612345678'],
      ['+15550100', '+15550100'],
    ] as const) {
      t.equal(phoneOf(text), phone, text)
    }
    for (const none of [
      '',
      '+',
      '4155550100',
      '+1',
      '+1415555010x',
      'call +14155550100',
      '+9991234567',
      '12345',
      '+'.padEnd(99, '1'),
    ]) {
      t.equal(phoneOf(none), undefined, none)
    }
  },
)

t.test('A number is the same however it is grouped', async (t) => {
  const separators = fc.constantFrom('', ' ', '-', '.', '(', ')', '\u00a0', '\u2013')
  fc.assert(
    fc.property(anyNumber, fc.array(separators, { minLength: 16, maxLength: 16 }), (number, between) => {
      const parted = [...number].map((character, place) => character + (between[place] ?? '')).join('')
      t.equal(phoneOf(parted), phoneOf(number))
    }),
  )
})

t.test('Parsing a parsed number changes nothing', async (t) => {
  fc.assert(
    fc.property(anyNumber, (number) => {
      const phone = phoneOf(number)
      if (phone !== undefined) t.equal(phoneOf(phone), phone)
    }),
    { numRuns: 1_000 },
  )
})

t.test('The fast path gives the same result as the slow path', async (t) => {
  fc.assert(
    fc.property(anyNumber, (number) => t.equal(phoneOf(number), parsePhone(number))),
    { numRuns: 1_000 },
  )
})

t.test('Variants of one mobile number in Brazil, Mexico and Argentina are equal', async (t) => {
  const first = (from: number, to: number) => fc.integer({ min: from, max: to }).map(String)
  fc.assert(
    fc.property(fc.constantFrom('11', '21', '31', '85'), first(6, 9), digits(7), (area, lead, rest) => {
      const phone = `+55${area}9${lead}${rest}`
      t.equal(phoneOf(phone), phone)
      t.equal(phoneOf(`+55${area}${lead}${rest}`), phone, 'without the ninth digit')
    }),
  )
  fc.assert(
    fc.property(fc.constantFrom('55', '33', '81', '664'), digits(8), (area, rest) => {
      const phone = `+52${(area + rest).slice(0, 10)}`
      for (const prefix of ['1', '01', '044', '045']) t.equal(phoneOf(`+52${prefix}${phone.slice(3)}`), phoneOf(phone))
      t.equal(phoneOf(phone), phone)
    }),
  )
  fc.assert(
    fc.property(first(2, 7), digits(7), (lead, rest) => {
      const phone = `+54911${lead}${rest}`
      t.equal(phoneOf(phone), phone)
      t.equal(phoneOf(`+5411${lead}${rest}`), phone, 'without the 9')
      t.equal(phoneOf(`+541115${lead}${rest}`), phone, 'with the 15 of home')
      t.equal(phoneOf(`+5491115${lead}${rest}`), phone, 'with both')
    }),
  )
  t.equal(phoneOf('+551133334444'), '+551133334444', 'a fixed line in Brazil has eight digits')
})

t.test('An address of a channel without numbers is stored as given', async (t) => {
  const numbered = ['rcs', 'sms', 'messengerA']
  for (const channel of channelNames.filter((name) => !numbered.includes(name))) {
    t.equal(normalizeAddress(channel, '  U0 12(3) '), 'U0 12(3)')
    t.equal(normalizeAddress(channel, ' '), undefined)
  }
  t.equal(normalizeAddress('sms', '+1 415 555 0100'), '+14155550100')
  t.equal(normalizeAddress('rcs', 'nobody'), undefined)
  t.equal(normalizeAddress('messengerA', '551187654321'), '+5511987654321', 'messengers leave the plus out')
  t.equal(normalizeAddress('messengerA', 'US.1234'), 'US.1234', 'and have names of their own')
})
