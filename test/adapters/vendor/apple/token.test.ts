/** Tokens of Apple Messages for Business, against a library that nobody here wrote. */
import fc from 'fast-check'
import { jwtVerify, SignJWT } from 'jose'
import t from 'tap'
import { isFromApple, makeToken } from '../../../../adapters/vendor/apple/token.js'
import { noon } from '../../messenger/provider.js'
import { appleAuth, bearer } from './samples.js'

const key = Buffer.from(appleAuth.secret, 'base64')
const seconds = Math.floor(noon / 1_000)
const good = { aud: appleAuth.mspId, iat: seconds }

t.test('Our token has the provider account as issuer, and others can verify it', async (t) => {
  const { payload, protectedHeader } = await jwtVerify(makeToken(appleAuth, noon), key, { algorithms: ['HS256'] })
  t.same(payload, { iss: appleAuth.mspId, iat: seconds })
  t.equal(protectedHeader.alg, 'HS256')
})

t.test('A token that another library created is accepted', async (t) => {
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience(appleAuth.mspId)
    .setIssuedAt(seconds)
    .sign(key)
  t.ok(isFromApple(`Bearer ${token}`, appleAuth, noon))
})

t.test('A token for another account, of another issuer, or without an algorithm is refused', async (t) => {
  t.ok(isFromApple(bearer(good), appleAuth, noon))
  t.ok(isFromApple(bearer({ ...good, aud: ['x', appleAuth.mspId] }), appleAuth, noon), 'several may be meant')
  t.notOk(isFromApple(bearer({ ...good, aud: 'another' }), appleAuth, noon))
  t.notOk(isFromApple(bearer({ iat: seconds }), appleAuth, noon))
  t.notOk(isFromApple(bearer(good, 'another key'), appleAuth, noon))
  t.notOk(isFromApple(bearer(good, appleAuth.secret), appleAuth, noon), 'the key is what the secret encodes')
  t.notOk(isFromApple(bearer(good, key, { alg: 'none' }), appleAuth, noon))
  t.notOk(isFromApple(bearer(good, key, { alg: 'HS512' }), appleAuth, noon))
  t.notOk(isFromApple(bearer(good).replace(/\.[^.]*$/, '.'), appleAuth, noon))
})

t.test('A secret that is not base64 is used as the key itself, and a short one is no base64 key', async (t) => {
  for (const secret of ['not base64!', 'YWJj']) {
    t.ok(isFromApple(bearer(good, secret), { ...appleAuth, secret }, noon), JSON.stringify(secret))
    const decoded = Buffer.from(secret, 'base64')
    t.notOk(isFromApple(bearer(good, decoded), { ...appleAuth, secret }, noon))
  }
})

t.test('A token that is expired, not yet valid, or without a time is refused', async (t) => {
  const at = (claims: object) => isFromApple(bearer({ aud: appleAuth.mspId, ...claims }), appleAuth, noon)
  t.ok(at({ iat: seconds - 3_600 }))
  t.notOk(at({ iat: seconds - 3_601 }))
  t.ok(at({ iat: seconds + 300 }))
  t.notOk(at({ iat: seconds + 301 }))
  t.notOk(at({}))
  t.notOk(at({ iat: 'yesterday' }))
  t.ok(at({ exp: seconds - 299 }))
  t.notOk(at({ exp: seconds - 300 }))
  t.notOk(at({ iat: seconds, exp: seconds - 1_000 }))
  t.ok(at({ iat: seconds - 100_000, exp: seconds + 1 }), 'one that says when it ends is believed')
  t.notOk(at({ exp: seconds + 100, nbf: seconds + 301 }))
})

t.test('No header makes the verification throw', async (t) => {
  const headers = fc.oneof(
    fc.string(),
    fc.string().map((each) => `Bearer ${each}`),
    fc.tuple(fc.base64String(), fc.base64String(), fc.base64String()).map((parts) => `Bearer ${parts.join('.')}`),
    fc.jsonValue().map((claims) => bearer(claims as object)),
  )
  fc.assert(fc.property(headers, (header) => typeof isFromApple(header, appleAuth, noon) === 'boolean'))
  t.pass('for every header')
})
