/** Signatures of the kit: those of the platform, over all parts as if they were one. */
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { hmac, hmacText } from '../../../adapters/kit/hmac.js'

const algorithms = fc.constantFrom('sha1', 'sha256', 'sha512')
/** Shorter than a block, as long as one, and longer. */
const keys = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ minLength: 63, maxLength: 129 }), fc.string())
const parts = fc.array(fc.oneof(fc.uint8Array({ maxLength: 6_000 }), fc.string({ unit: 'binary' }), fc.string()))

t.test('A signature is the published one for what others have signed', async (t) => {
  t.equal(
    hmac('sha256', 'key', 'The quick brown fox jumps over the lazy dog').toString('hex'),
    'f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8',
  )
})

t.test('A signature is the one that the platform makes, over all parts as if they were one', async () => {
  fc.assert(
    fc.property(algorithms, keys, parts, (algorithm, key, parts) => {
      const signing = createHmac(algorithm, key)
      for (const part of parts) signing.update(part)
      return hmac(algorithm, key, ...parts).equals(signing.digest())
    }),
  )
})

t.test('A signature as a text says the same in every writing', async () => {
  fc.assert(
    fc.property(algorithms, keys, parts, fc.constantFrom('hex', 'base64', 'base64url'), (algorithm, key, parts, as) => {
      return hmacText(algorithm, key, parts, as) === hmac(algorithm, key, ...parts).toString(as)
    }),
  )
})
