/** Addresses in words: only what clearly is one. */
import t from 'tap'
import { isPostalAddress } from '../../../core/conversation/postaladdress.js'

t.test('A street with its number, or with a postal code instead, is an address', async (t) => {
  for (const text of [
    '221B Baker Street, London',
    '12 Main St',
    '1600 Amphitheatre Parkway\nMountain View, CA 94043',
    'Apt 4, Springfield, IL 62704',
    'Hauptstraße 12, 10115 Berlin',
    'Lange Str. 5',
    '12 bis rue de Rivoli, Paris',
    'Calle Mayor 5, Madrid',
    'Via Roma 7',
    'The Old House, SW1A 1AA',
    '100 Queen St W, Toronto, ON M5H 2N2',
  ])
    t.equal(isPostalAddress(text), true, text)
})

t.test('Other text with numbers in it is no address', async (t) => {
  for (const text of [
    'I have 2 questions',
    '10 minutes drive',
    'call me at 5',
    'order 12345',
    'my order number is 12345',
    '5 blocks away',
    'what is at 12 Main Street?',
    'near the station',
    'I drive 2 cars',
    '2 people please',
    '',
    '1',
    `12 Main Street ${'x'.repeat(300)}`,
  ])
    t.equal(isPostalAddress(text), false, text)
})
