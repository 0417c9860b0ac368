/** Signed words are read to the character, or not at all. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { createSignedTokens } from '../../../runtime/http/signedtokens.js'

const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
const text = fc.stringMatching(/^[\w.-]{0,60}$/)

t.test('A signed token returns its text to a holder of the key', async () => {
  const words = createSignedTokens(randomBytes(32))
  const others = createSignedTokens(randomBytes(32))
  fc.assert(
    fc.property(text, (each) => words.read(words.sign(each)) === each && others.read(words.sign(each)) === undefined),
  )
})

t.test(
  'Only the canonical last character is accepted, although base64url decodes others to the same bytes',
  async (t) => {
    const words = createSignedTokens(randomBytes(32))
    const word = words.sign('v1.payload')
    const accepted = alphabet.filter((last) => words.read(word.slice(0, -1) + last) !== undefined)
    t.same(accepted, [word.at(-1)])
  },
)

t.test('A token that was not signed is not read', async () => {
  const words = createSignedTokens(randomBytes(32))
  fc.assert(
    fc.property(fc.oneof(fc.string(), text), text, (each, behind) => {
      const word = words.sign(behind)
      return [each, `${each}.`, `.${each}`, `${word} `, `${word}=`, word.slice(0, -1)].every(
        (other) => words.read(other) === undefined,
      )
    }),
  )
})
