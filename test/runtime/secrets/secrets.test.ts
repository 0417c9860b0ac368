/** Secrets at rest: what is sealed opens only unchanged, in its place, with its key; and how the root key is kept. */
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { loadOrCreateSecretKey, secretKeyFileName } from '../../../runtime/secrets/rootkey.js'
import {
  deriveKey,
  keyId,
  newDataKey,
  open,
  openDataKey,
  seal,
  sealDataKey,
  sealKeyId,
} from '../../../runtime/secrets/seal.js'
import { openStore } from '../../../runtime/store/lmdb.js'

const scratchDir = mkdtempSync(join(tmpdir(), 'parley-secrets-'))
t.teardown(() => rmSync(scratchDir, { recursive: true, force: true }))
let made = 0
const newDir = () => join(scratchDir, String(++made))

const anyName = fc.oneof(fc.string(), fc.constantFrom('', '|', 'a|b', '"', '","', 'a'))
const anyContext = fc.record({ orgId: anyName, kind: anyName, id: anyName })
const anySecret = fc.uint8Array({ maxLength: 200 })
const key = newDataKey()

t.test('A sealed secret opens to its value, and no two seals of it are equal', (t) => {
  fc.assert(
    fc.property(anyContext, anySecret, (context, secret) => {
      const [first, second] = [seal(key, context, secret), seal(key, context, secret)]
      return (
        open(key, context, first).equals(secret) && open(key, context, second).equals(secret) && !first.equals(second)
      )
    }),
  )
  const context = { orgId: 'o', kind: 'k', id: 'i' }
  t.equal(open(key, context, seal(key, context, 'words ☂')).toString(), 'words ☂')
  const fixedBytes = (bytes: number) => Buffer.alloc(bytes, 7)
  t.same(seal(key, context, 'x', fixedBytes), seal(key, context, 'x', fixedBytes), 'unless their randomness is given')
  t.notOk(seal(key, context, 'a secret that shows').includes('secret'))
  t.throws(() => seal(key, context, 'x', () => Buffer.alloc(4)), /nonce/)
  t.end()
})

t.test('A sealed secret with any bit changed, cut or lengthened does not open', (t) => {
  const context = { orgId: 'org_1', kind: 'webhook', id: 'wh_1' }
  fc.assert(
    fc.property(
      anySecret,
      fc.nat(),
      fc.integer({ min: 0, max: 7 }),
      fc.integer({ min: 1, max: 60 }),
      (secret, at, bit, cut) => {
        const sealed = seal(key, context, secret)
        const flipped = Buffer.from(sealed)
        flipped[at % flipped.length]! ^= 1 << bit
        const shorter = sealed.subarray(0, Math.max(0, sealed.length - cut))
        for (const bad of [flipped, shorter, Buffer.concat([sealed, Buffer.alloc(cut)])]) {
          t.throws(() => open(key, context, bad))
        }
      },
    ),
  )
  const sealed = seal(key, context, 'x')
  for (let at = 0; at < sealed.length * 8; at++) {
    const flipped = Buffer.from(sealed)
    flipped[at >> 3]! ^= 1 << (at & 7)
    t.throws(() => open(key, context, flipped), `bit ${at}`)
  }
  t.end()
})

t.test('A sealed secret does not open in another place or with another key', (t) => {
  fc.assert(
    fc.property(anyContext, anyContext, anySecret, (mine, theirs, secret) => {
      fc.pre(JSON.stringify(mine) !== JSON.stringify(theirs))
      const sealed = seal(key, mine, secret)
      t.throws(() => open(key, theirs, sealed))
    }),
  )
  const context = { orgId: 'a', kind: 'b', id: 'c' }
  for (const part of ['orgId', 'kind', 'id']) {
    t.throws(() => open(key, { ...context, [part]: 'x' }, seal(key, context, 'x')), `another ${part}`)
  }
  t.throws(() => open(newDataKey(), context, seal(key, context, 'x')), /another key/)
  t.throws(() => open(key, { orgId: 'a', kind: 'b|c', id: '' }, seal(key, { orgId: 'a', kind: 'b', id: 'c|' }, 'x')))
  t.throws(() => seal(randomBytes(31), context, 'x'), /32 bytes/)
  t.end()
})

t.test('A data key opens only with the root key that sealed it and for its org', (t) => {
  const [root, dataKey] = [randomBytes(32), newDataKey()]
  const sealed = sealDataKey(root, dataKey, 'org_1')
  t.same(openDataKey(root, sealed, 'org_1'), dataKey)
  t.throws(() => openDataKey(root, sealed, 'org_2'))
  t.throws(() => openDataKey(randomBytes(32), sealed, 'org_1'), /another key/)
  t.equal(sealKeyId(sealed), keyId(root), 'an envelope says which key it needs')
  t.not(keyId(root), keyId(dataKey))
  t.throws(() => sealDataKey(root, Buffer.alloc(16), 'org_1'), /32 bytes/)
  t.throws(() => sealKeyId(Buffer.alloc(10)), /cut short/)
  t.end()
})

t.test('Each purpose has its own key, the same every time', (t) => {
  const root = randomBytes(32)
  const purposes = ['id tokens', 'page tokens', 'asid', 'emulator grants', 'seal', 'key id', '']
  const keys = purposes.map((purpose) => deriveKey(root, purpose).toString('hex'))
  t.equal(new Set([...keys, root.toString('hex')]).size, purposes.length + 1)
  t.same(
    purposes.map((purpose) => deriveKey(root, purpose).toString('hex')),
    keys,
  )
  t.end()
})

t.test('A configured root key is accepted in each of its encodings, and any other text is refused by name', (t) => {
  const root = randomBytes(32)
  const dir = newDir()
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    t.match(
      loadOrCreateSecretKey(dir, root.toString(encoding)),
      { key: root, from: 'variable', tooOpen: false },
      encoding,
    )
  }
  t.same(loadOrCreateSecretKey(dir, root.toString('hex').toUpperCase()).key, root)
  const wrong = [
    '',
    'short',
    randomBytes(31).toString('base64'),
    randomBytes(33).toString('hex'),
    ` ${root.toString('hex')}`,
  ]
  for (const text of wrong) {
    t.throws(() => loadOrCreateSecretKey(dir, text), {
      name: 'SecretKeyUnusable',
      message: /^PARLEY_SECRET_KEY must be 32 bytes/,
    })
  }
  t.throws(() => readdirSync(dir), { code: 'ENOENT' }, 'no file is written for a configured key')
  t.end()
})

t.test('A root key is created once, readable by its owner only, and never changes', (t) => {
  const dir = newDir()
  const first = loadOrCreateSecretKey(dir)
  t.match(first, { from: 'created', tooOpen: false })
  t.equal(first.key.length, 32)
  t.same(readdirSync(dir), [secretKeyFileName])
  const path = join(dir, secretKeyFileName)
  t.equal(statSync(path).mode & 0o777, 0o600)
  t.match(loadOrCreateSecretKey(dir), { key: first.key, from: 'file', tooOpen: false })
  t.same(
    loadOrCreateSecretKey(newDir(), readFileSync(path, 'utf8').trim()).key,
    first.key,
    'the file can be copied to the variable',
  )
  for (const mode of [0o640, 0o604, 0o644]) {
    chmodSync(path, mode)
    t.equal(loadOrCreateSecretKey(dir).tooOpen, true, mode.toString(8))
  }
  for (const text of ['', 'short', first.key.toString('hex').slice(1), `${first.key.toString('hex')}00`]) {
    writeFileSync(path, text)
    t.throws(() => loadOrCreateSecretKey(dir), { name: 'SecretKeyUnusable', message: /does not hold 32 bytes/ })
    t.equal(readFileSync(path, 'utf8'), text, 'it is left as it was')
  }
  t.end()
})

t.test('No new root key is created beside data that was sealed with a lost one', async (t) => {
  const dir = newDir()
  const { key: root } = loadOrCreateSecretKey(dir)
  await (await openStore({ dir, shards: 16 })).close()
  t.same(loadOrCreateSecretKey(dir).key, root)
  rmSync(join(dir, secretKeyFileName))
  t.throws(() => loadOrCreateSecretKey(dir), {
    name: 'SecretKeyUnusable',
    message: /holds data but its key .* is missing/,
  })
  t.same(loadOrCreateSecretKey(dir, root.toString('hex')).key, root)
})
