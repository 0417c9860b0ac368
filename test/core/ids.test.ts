/**
 * How ids are written. Those of people and of sends are worked out again from what they stand for, so they never
 * change.
 */
import fc from 'fast-check'
import t from 'tap'
import { idFromBytes } from '../../core/ids.js'

t.test('An id is the first 130 bits, five at a time, in an alphabet without ambiguous letters', async (t) => {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
  const written = (bytes: Uint8Array) => {
    const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
    return Array.from({ length: 26 }, (_, at) => alphabet[Number.parseInt(bits.slice(at * 5, at * 5 + 5), 2)]).join('')
  }
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 17, maxLength: 64 }), (bytes) => {
      const id = idFromBytes('usr', bytes)
      if (id !== `usr_${written(bytes)}`) throw new Error(`${Buffer.from(bytes).toString('hex')} is written as ${id}`)
    }),
  )
  t.equal(
    idFromBytes('usr', Buffer.from('00112233445566778899aabbccddeeff01', 'hex')),
    'usr_008j4ct4ank7f24snaxwsqfezw',
  )
})

t.test('Fewer than 17 bytes give no id', async (t) => {
  t.throws(() => idFromBytes('usr', new Uint8Array(16)), { message: 'an id needs at least 17 bytes' })
})
