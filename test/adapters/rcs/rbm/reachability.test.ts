/** Whom RCS reaches, and what can be taken back. */
import t from 'tap'
import { rbmAdapter } from '../../../../adapters/rcs/rbm/adapter.js'
import type { NoResponse, ProviderRequest } from '../../../../core/channel/adapter.js'
import { rbm as limits } from '../../../../core/limits/index.js'
import { type Scripted, silence, testProvider } from './provider.js'
import { auth } from './samples.js'

function platform(reply: (request: ProviderRequest) => Scripted | NoResponse) {
  const { sendContext, requests } = testProvider(auth, (request) =>
    request.url.endsWith('/token')
      ? { status: 200, body: { access_token: 'ya29.token', expires_in: 3599 } }
      : reply(request),
  )
  return { sendContext, requests: () => requests.filter(({ url }) => !url.endsWith('/token')) }
}

t.test('The capabilities of one phone are requested', async (t) => {
  const { sendContext, requests } = platform(() => ({ status: 200, body: { features: ['RICHCARD_CAROUSEL'] } }))
  t.same(await rbmAdapter.probe!(['+15550100'], sendContext), { reachable: ['+15550100'], unreachable: [] })
  await rbmAdapter.probe!(['+15550100'], sendContext)
  const [first, second] = requests().map(({ url }) => new URL(url))
  t.equal(first?.pathname, '/v1/phones/+15550100/capabilities')
  t.equal(first?.searchParams.get('agentId'), auth.agentId)
  t.match(first?.searchParams.get('requestId'), /^[0-9a-f-]{36}$/)
  t.not(first?.searchParams.get('requestId'), second?.searchParams.get('requestId'), 'an id is never used again')
})

t.test('A phone that is not found is unreachable; any other error leaves it unknown', async (t) => {
  const probeWith = (reply: Scripted | NoResponse) =>
    rbmAdapter.probe!(['+15550100'], platform(() => reply).sendContext)
  t.same(await probeWith({ status: 404 }), { reachable: [], unreachable: ['+15550100'] })
  for (const reply of [{ status: 403 }, { status: 429 }, { status: 500 }, silence]) {
    t.same(await probeWith(reply), { reachable: [], unreachable: [] }, JSON.stringify(reply))
  }
})

t.test('Capabilities of many phones are requested in batches of the maximum size', async (t) => {
  const phones = Array.from(
    { length: limits.numbersPerBatch * 2 + 1 },
    (_, at) => `+1555${String(at).padStart(7, '0')}`,
  )
  const isEven = (phone: string) => Number(phone.at(-1)) % 2 === 0
  const { sendContext, requests } = platform(({ body }) => {
    const { users } = JSON.parse(String(body)) as { users: string[] }
    return { status: 200, body: { reachableUsers: users.filter(isEven), totalRandomSampleUserCount: 0 } }
  })
  const probeWith = await rbmAdapter.probe!(phones, sendContext)
  t.same(probeWith.reachable, phones.filter(isEven))
  t.same(
    probeWith.unreachable,
    phones.filter((phone) => !isEven(phone)),
  )
  t.same(
    requests().map(({ url, body }) => [url, JSON.parse(String(body)).users.length, JSON.parse(String(body)).agentId]),
    [limits.numbersPerBatch, limits.numbersPerBatch, 1].map((count) => [
      'https://rcsbusinessmessaging.googleapis.com/v1/users:batchGet',
      count,
      auth.agentId,
    ]),
  )
})

t.test('A failed batch leaves its own phones unknown, and no others', async (t) => {
  const phones = Array.from({ length: limits.numbersPerBatch + 2 }, (_, at) => `+1555${String(at).padStart(7, '0')}`)
  let calls = 0
  const { sendContext } = platform(() => (++calls === 1 ? { status: 500 } : { status: 200, body: {} }))
  t.same(await rbmAdapter.probe!(phones, sendContext), { reachable: [], unreachable: phones.slice(-2) })
  for (const body of ['<html>', '[]', '{"reachableUsers":"all"}']) {
    const odd = platform(() => ({ status: 200, body }))
    t.same(await rbmAdapter.probe!(['+1', '+2'], odd.sendContext), { reachable: [], unreachable: [] }, body)
  }
  t.same(await rbmAdapter.probe!([], sendContext), { reachable: [], unreachable: [] })
})

t.test('A revoked message was not delivered; a message that is not found is too late to revoke', async (t) => {
  const expected: readonly [Scripted | NoResponse, string][] = [
    [{ status: 200 }, 'revoked'],
    [{ status: 404 }, 'tooLate'],
    [{ status: 500 }, 'unknown'],
    [silence, 'unknown'],
  ]
  for (const [reply, outcome] of expected) {
    const { sendContext, requests } = platform(() => reply)
    t.equal(await rbmAdapter.revoke!('0e5c0b1a-uuid', sendContext), outcome)
    t.match(requests()[0], {
      method: 'DELETE',
      url: /\/v1\/phones\/\+15550100\/agentMessages\/0e5c0b1a-uuid\?agentId=harbor_desk_agent$/,
    })
  }
})
