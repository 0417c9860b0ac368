/** Calls about several accounts of one app: each part reaches the binding that has the account, or is refused. */
import { createHmac } from 'node:crypto'
import t from 'tap'
import { appleAuth, bearer, messageBody } from '../../adapters/vendor/apple/samples.js'
import { createAgents } from '../../harness/agents.js'
import { openTestNode } from '../../harness/node.js'

const secrets = { accessToken: 'EAAG0123456789', appSecret: 'secret of the one app', verifyToken: 'word' }
const person = '15550100123'

interface Kind {
  readonly provider: string
  readonly channel: string
  /** Credentials for one account. */
  readonly auth: (account: string) => object
  /** The entry of a call in which a person says something to an account. */
  readonly entry: (account: string, id: string, text: string) => object
}

const pageEntry = (account: string, id: string, text: string) => ({
  id: account,
  messaging: [{ sender: { id: person }, recipient: { id: account }, timestamp: 1, message: { mid: id, text } }],
})

const kinds: readonly Kind[] = [
  {
    provider: 'whatsapp',
    channel: 'messengerA',
    auth: (phoneNumberId) => ({ ...secrets, phoneNumberId }),
    entry: (account, id, text) => {
      const message = { from: person, id, type: 'text', text: { body: text } }
      const value = { metadata: { phone_number_id: account }, messages: [message] }
      return { id: 'WABA', changes: [{ field: 'messages', value }] }
    },
  },
  {
    provider: 'messenger',
    channel: 'messengerB',
    auth: (pageId) => ({ ...secrets, pageId }),
    entry: pageEntry,
  },
  {
    provider: 'instagram',
    channel: 'socialC',
    auth: (accountId) => ({ ...secrets, pageId: `7${accountId}`, accountId }),
    entry: pageEntry,
  },
]

async function openAccounts(
  t: { readonly teardown: (end: () => unknown) => void },
  { provider, channel, auth, entry }: Kind,
) {
  const node = await openTestNode()
  t.teardown(() => node.close())
  const { newAgent } = createAgents(node)

  async function bound(account: string, more: object = {}) {
    const agent = await newAgent()
    const binding = { channel, mode: 'unmanaged', provider, auth: { ...auth(account), ...more } }
    const { id } = await agent.manage('POST', '/channels', binding)
    return {
      agent,
      id,
      async texts(): Promise<string[]> {
        const { data } = await agent.manage('GET', '/messages')
        return (data as { text: string }[]).map(({ text }) => text).sort()
      },
    }
  }

  async function call(bindingId: string, ...parts: readonly (readonly [account: string, id: string, text: string])[]) {
    const body = JSON.stringify({ entry: parts.map((part) => entry(...part)) })
    const signature = createHmac('sha256', secrets.appSecret).update(body).digest('hex')
    const headers = { 'x-hub-signature-256': `sha256=${signature}` }
    return (await node.gateway('POST', `/v4/ingress/${bindingId}`, { body, headers })).status
  }

  return { node, bound, call }
}

for (const kind of kinds) {
  t.test(
    `A call of ${kind.provider} about another account of the app reaches the binding of that account`,
    async (t) => {
      const { bound, call } = await openAccounts(t, kind)
      const [first, second] = [await bound('111'), await bound('222')]
      t.equal(await call(first.id, ['111', 'm1', 'to first'], ['222', 'm2', 'to second']), 200)
      t.equal(await call(first.id, ['222', 'm3', 'to second alone']), 200)
      t.equal(await call(second.id, ['111', 'm4', 'to first by the other']), 200)
      t.equal(await call(first.id, ['222', 'm3', 'to second alone']), 200, 'and is known when it comes again')
      t.same(await first.texts(), ['to first', 'to first by the other'])
      t.same(await second.texts(), ['to second', 'to second alone'])
    },
  )

  t.test(
    `A call of ${kind.provider} about an account without a binding is refused, and the rest is accepted`,
    async (t) => {
      const { bound, call } = await openAccounts(t, kind)
      const [first, second] = [await bound('111'), await bound('222')]
      const callMixed = () => call(first.id, ['999', 'm1', 'to none'], ['111', 'm2', 'ours'], ['222', 'm3', 'theirs'])
      t.equal(await callMixed(), 404)
      t.equal(await callMixed(), 404, 'as often as it comes')
      t.same(await first.texts(), ['ours'])
      t.same(await second.texts(), ['theirs'])
      const third = await bound('999')
      t.equal(await callMixed(), 200, 'until the account has a binding')
      t.same(await third.texts(), ['to none'])
      await third.agent.manage('DELETE', `/channels/${third.id}`)
      t.equal(await call(first.id, ['999', 'm4', 'too late']), 404, 'and again after it was deleted')
    },
  )

  t.test(`A binding of ${kind.provider} accepts only calls signed with its own app secret`, async (t) => {
    const { bound, call } = await openAccounts(t, kind)
    const first = await bound('111')
    const other = await bound('222', { appSecret: 'secret of another app' })
    t.equal(await call(first.id, ['222', 'm1', 'to second']), 404)
    t.same(await other.texts(), [])
  })
}

t.test(
  'A call of Apple about another business of the provider account reaches its binding, or is refused',
  async (t) => {
    const { node, bound } = await openAccounts(t, {
      provider: 'apple',
      channel: 'vendorMessages',
      auth: (businessId) => ({ ...appleAuth, businessId }),
      entry: () => ({}),
    })
    const [first, second] = [await bound('111'), await bound('222')]
    const call = async (bindingId: string, destinationId: string, id: string, body: string) => {
      const authorization = bearer({ aud: appleAuth.mspId, iat: Math.floor(node.clock.now() / 1_000) })
      const message = JSON.stringify({ ...messageBody(id, { type: 'text', body }), destinationId })
      return (await node.gateway('POST', `/v4/ingress/${bindingId}`, { body: message, headers: { authorization } }))
        .status
    }
    t.equal(await call(first.id, '222', 'a1', 'to second'), 200)
    t.equal(await call(first.id, '111', 'a2', 'to first'), 200)
    t.equal(await call(first.id, '999', 'a3', 'to none'), 404)
    t.same(await first.texts(), ['to first'])
    t.same(await second.texts(), ['to second'])
  },
)

t.test('An Instagram binding without an account id accepts only accounts of no other binding', async (t) => {
  const { bound, call } = await openAccounts(t, kinds[2]!)
  const [any, named] = [await bound('111', { accountId: undefined }), await bound('222')]
  t.equal(await call(any.id, ['111', 'm1', 'to any'], ['222', 'm2', 'to the named one']), 200)
  t.equal(await call(named.id, ['333', 'm3', 'to none']), 404, 'it gets only items of its own call')
  t.same(await any.texts(), ['to any'])
  t.same(await named.texts(), ['to the named one'])
})
