/** Capsules: only this installation makes and reads them, and any change to one makes it worth nothing. */
import fc from 'fast-check'
import t from 'tap'
import { createMediaTokens } from '../../../runtime/media/mediatoken.js'
import { webUrl } from '../../harness/arbitraries.js'

const key = Buffer.alloc(32, 1)
const capsules = createMediaTokens(key)
const slug = fc.stringMatching(/^[a-z0-9_-]{1,40}$/)
const things = fc.record({
  orgId: slug,
  agentId: slug,
  bindingId: slug,
  mediaRef: fc.oneof(
    webUrl(),
    fc.stringMatching(/^[\x21-\x7e]{1,300}$/),
    fc.string({ minLength: 1, unit: 'grapheme' }),
  ),
})
const bytesOf = (word: string) => Buffer.from(word, 'base64url')

t.test('A token opens to the sealed value, is the same each time, and is safe in a path', async (t) => {
  fc.assert(
    fc.property(things, (thing) => {
      const word = capsules.seal(thing)
      t.same(capsules.open(word), thing)
      return word === createMediaTokens(key).seal(thing) && /^[\w-]+$/.test(word)
    }),
  )
})

t.test('A token with any one byte changed, cut or added is refused', async (t) => {
  const changes = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) })
  fc.assert(
    fc.property(things, changes, (thing, { at, by }) => {
      const bytes = bytesOf(capsules.seal(thing))
      const index = at % bytes.length
      const changed = Buffer.from(bytes)
      changed[index]! ^= by
      const cut = Buffer.concat([bytes.subarray(0, index), bytes.subarray(index + 1)])
      const longer = Buffer.concat([bytes, Buffer.of(by)])
      return [changed, cut, longer].every((each) => capsules.open(each.toString('base64url')) === undefined)
    }),
  )
  const word = capsules.seal({ orgId: 'o', agentId: 'a', bindingId: 'b', mediaRef: 'x' })
  for (let bit = 0; bit < bytesOf(word).length * 8; bit++) {
    const changed = bytesOf(word)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    t.equal(capsules.open(changed.toString('base64url')), undefined)
  }
})

t.test('The same bytes in another encoding are another token, and refused', async (t) => {
  for (const mediaRef of ['x', 'xy', 'xyz']) {
    const word = capsules.seal({ orgId: 'o', agentId: 'a', bindingId: 'b', mediaRef })
    const others = [`${word}=`, ` ${word}`, `${word}.`, bytesOf(word).toString('base64')]
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (const letter of last) others.push(word.slice(0, -1) + letter)
    for (const other of others.filter((each) => each !== word)) t.equal(capsules.open(other), undefined, other)
  }
})

t.test('Random tokens, and tokens of another installation, are refused', async () => {
  const other = createMediaTokens(Buffer.alloc(32, 2))
  fc.assert(fc.property(fc.string(), (word) => capsules.open(word) === undefined))
  fc.assert(fc.property(things, (thing) => capsules.open(other.seal(thing)) === undefined))
})

t.test('A token reveals nothing of the sealed value, and two of them have nothing in common', async (t) => {
  const mediaRef = 'https://files.example/a-rather-long-name-of-a-file.png'
  const [one, two] = ['1', '2'].map((end) =>
    bytesOf(capsules.seal({ orgId: 'acme', agentId: 'desk', bindingId: 'cb_1', mediaRef: mediaRef + end })),
  ) as [Buffer, Buffer]
  for (const part of ['acme', 'desk', 'cb_1', 'files', 'https']) t.notOk(one.includes(part))
  const alike = one.filter((byte, index) => byte === two[index]).length
  t.ok(alike < one.length / 4, `${alike} of ${one.length} bytes`)
})
