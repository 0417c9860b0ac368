/** What Slack tells, its signature checked against Slack's own code and example. */
import { createRequire } from 'node:module'
import fc from 'fast-check'
import t from 'tap'
import { slackAdapter } from '../../../../adapters/workchat/slack/adapter.js'
import type { IngressRequest, Item } from '../../../../core/channel/adapter.js'
import { noon } from '../../messenger/provider.js'
import { dm, slackAuth, slackSign, tapped, user, wrote } from './samples.js'

interface Verifying {
  readonly signingSecret: string
  readonly body: string
  readonly headers: { readonly 'x-slack-signature': string; readonly 'x-slack-request-timestamp': number }
  readonly nowMilliseconds: number
}
/** Slack's SDK does not give it out by name. */
const { isValidSlackRequest } = createRequire(import.meta.url)(
  '../../../../../node_modules/@slack/bolt/dist/receivers/verify-request.js',
) as { isValidSlackRequest(options: Verifying): boolean }

function request(body: unknown, at = noon, headers?: Readonly<Record<string, string>>): IngressRequest {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const signed = Object.entries(headers ?? slackSign({ body: bytes, at: noon }, slackAuth))
  const headerValues = new Map(signed.map(([name, value]) => [name.toLowerCase(), value]))
  const url = 'https://gateway.example/v4/ingress/cb_1'
  return { bindingId: 'cb_1', method: 'POST', url, header: (name) => headerValues.get(name) ?? '', body: bytes, at }
}

function items(body: unknown): readonly Item[] {
  const received = slackAdapter.receive(request(body), slackAuth)
  return received.kind === 'items' ? received.items : []
}

const example = {
  at: 1_531_420_618_000,
  body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  headers: {
    'x-slack-request-timestamp': '1531420618',
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  },
}

t.test('The example in Slack’s documents has a valid signature', async (t) => {
  const { at, body, headers } = example
  t.equal(
    slackAdapter.receive(request(body, at, headers), slackAuth).kind,
    'unreadable',
    'it is a command, and no event',
  )
  t.equal(slackAdapter.receive(request(`${body}&`, at, headers), slackAuth).kind, 'refused')
})

t.test('Slack’s own code and ours agree on every signature that is not from the future', async (t) => {
  const cases = fc.record({
    body: fc.string(),
    secret: fc.string({ minLength: 1 }),
    agoMs: fc.oneof(fc.integer({ min: 0, max: 290_000 }), fc.integer({ min: 0, max: 700_000 })),
    // Half of them as they were signed, so that enough are taken whatever is drawn.
    flip: fc.oneof(fc.constant(null), fc.nat(66)),
  })
  let [acceptedCount, refused] = [0, 0]
  fc.assert(
    fc.property(cases, ({ body, secret, agoMs, flip }) => {
      const auth = { ...slackAuth, signingSecret: secret }
      const { 'X-Slack-Request-Timestamp': timestamp, 'X-Slack-Signature': good } = slackSign(
        { body: Buffer.from(body), at: noon - agoMs },
        auth,
      )
      const signature =
        flip === null ? good : `${good.slice(0, flip)}${good[flip] === '0' ? '1' : '0'}${good.slice(flip + 1)}`
      const headers = { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp }
      const ours = slackAdapter.receive(request(body, noon, headers), auth).kind !== 'refused'
      const theirs = isValidSlackRequest({
        signingSecret: secret,
        body,
        headers: { 'x-slack-signature': signature, 'x-slack-request-timestamp': Number(timestamp) },
        nowMilliseconds: noon,
      })
      if (ours) acceptedCount += 1
      else refused += 1
      return ours === theirs
    }),
    { numRuns: 300 },
  )
  t.ok(acceptedCount > 20 && refused > 20, `${acceptedCount} accepted, ${refused} refused`)
})

t.test('A call is refused more than 300 seconds after its time, and before it', async (t) => {
  const body = wrote({ text: 'Hi', ts: '1.1' })
  const kindAt = (seconds: number) => slackAdapter.receive(request(body, noon + seconds * 1_000), slackAuth).kind
  t.equal(kindAt(300), 'items')
  t.equal(kindAt(301), 'refused')
  t.equal(kindAt(-300), 'items')
  t.equal(kindAt(-301), 'refused')
  const odd = ['', ' ', 'NaN', '1e9', '-1', `0x${(noon / 1_000).toString(16)}`, `${noon / 1_000}.0`]
  for (const timestamp of odd) {
    const headers = {
      ...slackSign({ body: Buffer.from(''), at: noon }, slackAuth),
      'X-Slack-Request-Timestamp': timestamp,
    }
    t.equal(slackAdapter.receive(request('', noon, headers), slackAuth).kind, 'refused', JSON.stringify(timestamp))
  }
})

t.test('A handshake is answered only if it is signed', async (t) => {
  const body = { type: 'url_verification', challenge: 'abc' }
  t.match(slackAdapter.receive(request(body), slackAuth), { kind: 'answer', type: 'text/plain', body: 'abc' })
  t.same(slackAdapter.receive(request(body, noon, {}), slackAuth), { kind: 'refused' })
})

t.test('Several events about one message are one item', async (t) => {
  const message = { channel: 'C061EG9SL', text: 'Hi', ts: '1763640001.000100' }
  const [firstItem] = items(wrote(message, 'Ev1'))
  t.same(items(wrote({ ...message, type: 'app_mention' }, 'Ev2')), [firstItem])
  t.match(firstItem, { id: 'C061EG9SL:1763640001.000100', address: `C061EG9SL/${user}` })
})

t.test('A tapped link returns like any other button', async (t) => {
  const action = { type: 'button', action_id: 'p1.msg_1.4', url: 'https://roma.example', action_ts: '1.5' }
  t.match(items(tapped(action)), [{ address: dm, inbound: { kind: 'tap', messageId: 'msg_1', tapIndex: 4 } }])
})

t.test('Two taps on the same button are two items', async (t) => {
  const action = (at: string) => ({ type: 'button', value: 'p1.msg_1.0', action_ts: at })
  const [first, second] = items(tapped(action('1.5'), action('1.6')))
  t.not((first as { id: string }).id, (second as { id: string }).id)
})

t.test('An opened link of ours that is no tap of its message has no further effect', async (t) => {
  t.same(items(tapped({ type: 'button', action_id: 'chip.2', url: 'https://maps.example', action_ts: '1.5' })), [])
})

t.test('Files that cannot be passed on are mentioned beside the text and the other files', async (t) => {
  const files = [{ url_private: 'https://drive.example/b' }, { id: 'F1', file_access: 'check_file_info' }]
  const [item] = items(wrote({ subtype: 'file_share', text: 'Two of them', ts: '1.1', files }))
  t.match(item, {
    inbound: {
      content: {
        text: /^Two of them\n\[.*a file that cannot be shown/,
        media: [files[0]!.url_private].map((url) => ({ url })),
      },
    },
  })
})

t.test('A person is answered in the thread in which they wrote or tapped', async (t) => {
  const thread = '1763640001.000100'
  const [textItem] = items(wrote({ channel: 'C061EG9SL', text: 'Hi', ts: '1763640009.000100', thread_ts: thread }))
  const action = { type: 'button', value: 'p1.msg_1.0', action_ts: '1.5' }
  const tap = { type: 'block_actions', user: { id: user }, channel: { id: dm }, actions: [action] }
  const message = { ts: '1763640010.000100', thread_ts: thread }
  const [chosen] = items(`payload=${encodeURIComponent(JSON.stringify({ ...tap, message }))}`)
  const answer = (lastInboundId?: string) =>
    slackAdapter.render([{ kind: 'text', text: 'Yes' }], {
      address: `C061EG9SL/${user}`,
      messageId: 'msg_2',
      ...(lastInboundId !== undefined && { lastInboundId }),
    })
  for (const item of [textItem, chosen]) {
    const { id } = item as { id: string }
    t.same(answer(id), [{ body: { channel: 'C061EG9SL', thread_ts: thread, text: 'Yes' } }], id)
  }
  const outside = [undefined, 'C061EG9SL:1763640009.000100']
  for (const id of outside) t.same(answer(id), [{ body: { channel: 'C061EG9SL', text: 'Yes' } }], id ?? 'nothing known')
})

t.test('A payload that names a thread is sent to that thread', async (t) => {
  const about = { address: dm, messageId: 'msg_2', lastInboundId: `${dm}:1.1@2.2` }
  const payload = { text: 'There', thread_ts: '3.3' }
  t.same(slackAdapter.render([{ kind: 'native', payload }], about), [{ body: { ...payload, channel: dm } }])
})

t.test('No signed call of Slack makes the adapter throw', async (t) => {
  const names = fc.constantFrom(
    'type',
    'event',
    'channel',
    'user',
    'ts',
    'text',
    'files',
    'actions',
    'payload',
    '__proto__',
  )
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('event_callback', 'message', 'block_actions', 'url_verification', 'p1.a.1'),
      fc.jsonValue(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value')),
    ),
  })).value
  const bodies = fc.oneof(
    fc.uint8Array(),
    value,
    value.map((event) => wrote({ text: event, files: event })),
    value.map((action) => tapped(action, ...(Array.isArray(action) ? action : []))),
    value.map((payload) => `payload=${encodeURIComponent(JSON.stringify(payload) ?? '')}`),
  )
  fc.assert(
    fc.property(bodies, (body) => slackAdapter.receive(request(body ?? 'null'), slackAuth).kind !== 'refused'),
    { numRuns: 500 },
  )
  t.pass('for every body')
})
