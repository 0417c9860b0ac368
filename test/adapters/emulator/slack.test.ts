/** The emulated Slack, called as its documents say, its signatures checked by its own SDK. */
import { isValidSlackRequest } from '@slack/bolt'
import t from 'tap'
import type { Account } from '../../../adapters/emulator/contract.js'
import type { Received } from '../../harness/receiver.js'
import { asJson, type EmulatorHarness, openEmulatorHarness } from './emulatorharness.js'

const user = 'U0PERSON1'
const channel = 'D0PERSON1'

interface Auth {
  readonly botToken: string
  readonly signingSecret: string
  readonly apiUrl: string
}
const authOf = (account: Account) => account.auth as unknown as Auth

function openAccount(emulated: EmulatorHarness) {
  const auth = authOf(emulated.account('slack'))
  const send = (body: object, botToken = auth.botToken) =>
    emulated.call(
      `${auth.apiUrl}/chat.postMessage`,
      asJson({ channel, ...body }, { authorization: `Bearer ${botToken}` }),
    )
  return { auth, send }
}

/** The body of a call, once the SDK believes it. */
function bodyIn({ body, headers }: Received, { signingSecret }: Auth) {
  const request = (text: string) => ({
    signingSecret,
    body: text,
    headers: {
      'x-slack-signature': String(headers['x-slack-signature']),
      'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
    },
  })
  if (!isValidSlackRequest(request(body.toString()))) throw new Error('the SDK refuses the signature')
  if (isValidSlackRequest(request(`${body} `))) throw new Error('the SDK accepts anything')
  const isForm = String(headers['content-type']).includes('form')
  return JSON.parse(isForm ? new URLSearchParams(body.toString()).get('payload')! : body.toString())
}

const plain = (text: string) => ({ type: 'plain_text', text })
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } })
const button = (text: string, index = 0) => ({
  type: 'button',
  text: plain(text),
  action_id: `a${index}`,
  value: `p1.m.${index}`,
})
const actions = (...elements: object[]) => ({ type: 'actions', elements })
const menu = (count: number) => ({
  type: 'static_select',
  action_id: 'choice',
  placeholder: plain('Choose'),
  options: Array.from({ length: count }, (_, index) => ({ text: plain(`Row ${index}`), value: `p1.m.${index}` })),
})

t.test('A message is accepted under its own timestamp, to a person or to the conversation with them', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send } = openAccount(emulated)
  const { status, json } = await send({ text: 'Hello', blocks: [section('Hello')] })
  t.equal(status, 200)
  t.match(json, { ok: true, channel, ts: /^\d+\.\d{6}$/ })
  t.match((await send({ channel: user, text: 'Again' })).json, { ok: true, channel })
  t.match(emulated.emulator.sent(0), [{ address: user, providerId: json.ts }, { address: user }])
  t.equal(emulated.emulator.sent(0, { account: 'slack', address: channel }).length, 2)
})

t.test('Every error is reported in a body with status 200', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth, send } = openAccount(emulated)
  const many = <T>(count: number, each: T) => Array.from({ length: count }, () => each)
  const wrong = (error: string) => ({ status: 200, json: { ok: false, error } })
  t.match(await send({ text: 'a' }, 'xoxb-wrong'), wrong('invalid_auth'))
  t.match(await emulated.call(`${auth.apiUrl}/chat.postMessage`, asJson({ channel, text: 'a' })), wrong('not_authed'))
  t.match(await emulated.call(`${auth.apiUrl}/chat.other`, asJson({})), wrong('unknown_method'))
  t.match(await send({}), wrong('no_text'))
  t.match(await send({ channel: 'nobody', text: 'a' }), wrong('channel_not_found'))
  t.match(await send({ text: 'a', priority: 1 }), wrong('invalid_arguments'))
  for (const [why, blocks] of [
    ['51 blocks', many(51, { type: 'divider' })],
    ['a section of 3,001', [section('a'.repeat(3_001))]],
    ['a header of 151', [{ type: 'header', text: plain('a'.repeat(151)) }]],
    ['26 buttons', [actions(...Array.from({ length: 26 }, (_, index) => button('a', index)))]],
    ['a button of 76', [actions(button('a'.repeat(76)))]],
    ['the same action twice', [actions(button('a'), button('b'))]],
    ['101 options', [actions(menu(101))]],
    ['a picture without words', [{ type: 'image', image_url: 'https://a.example/b.png' }]],
    ['a card of nothing', [{ type: 'card' }]],
    ['eleven cards', [{ type: 'carousel', elements: many(11, { type: 'card', title: plain('a') }) }]],
    ['an unknown block', [{ type: 'poll' }]],
    ['no list', 'text'],
  ] as const) {
    t.match(await send({ text: 'a', blocks }), wrong('invalid_blocks'), why)
  }
  t.match(await send({ text: 'a', blocks: many(5, section('a'.repeat(3_000))) }), wrong('msg_blocks_too_long'))
  t.same(emulated.emulator.sent(0), [])
  const card = { type: 'card', title: plain('a'), body: { type: 'mrkdwn', text: 'b' }, actions: [button('a')] }
  for (const blocks of [
    [actions(...Array.from({ length: 25 }, (_, index) => button('a'.repeat(75), index)))],
    [actions(menu(100)), { type: 'divider' }, { type: 'context', elements: [plain('x')] }],
    [{ type: 'carousel', elements: many(10, card) }],
    [{ type: 'markdown', text: 'a'.repeat(12_000) }],
  ]) {
    const answer = await send({ text: 'a', blocks })
    t.equal(answer.json.ok, true, answer.text)
  }
})

t.test('Texts, taps and choices of people arrive signed, as events and as interactions', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth, send } = openAccount(emulated)
  const { emulator, receiver } = emulated
  const { json } = await send({ text: 'a', blocks: [section('a'), actions(button('Tea', 0), button('Coffee', 1))] })
  await emulator.act('slack', user, { kind: 'text', text: 'Hi & bye' })
  await emulator.act('slack', channel, { kind: 'tap', label: 'Coffee' })
  await send({ text: 'b', blocks: [actions(menu(6))] })
  await emulator.act('slack', user, { kind: 'row', label: 'Row 4' })
  await emulator.act('slack', user, { kind: 'media', url: 'https://a.example/b.png', type: 'image/png', name: 'b.png' })
  t.match(
    receiver.at('/slack').map((each) => bodyIn(each, auth)),
    [
      {
        type: 'event_callback',
        event_id: /^Ev/,
        event: { type: 'message', user, channel, channel_type: 'im', text: 'Hi & bye' },
      },
      {
        type: 'block_actions',
        user: { id: user },
        channel: { id: channel },
        message: { ts: json.ts },
        actions: [{ action_id: 'a1', value: 'p1.m.1' }],
      },
      { actions: [{ type: 'static_select', action_id: 'choice', selected_option: { value: 'p1.m.4' } }] },
      {
        event: {
          subtype: 'file_share',
          files: [{ name: 'b.png', mimetype: 'image/png', url_private: /files-pri\/TEMULATED-F[0-9A-F]+\/b\.png$/ }],
        },
      },
    ],
  )
  for (const kind of ['typing', 'read', 'optOut'] as const) {
    t.match(await emulator.act('slack', user, { kind }), { kind: 'impossible' })
  }
})

t.test('A refused event is repeated three times with a retry header, unless the app asks for none', async (t) => {
  const emulated = await openEmulatorHarness(t, { timeScale: 100_000 })
  openAccount(emulated)
  const { emulator, receiver } = emulated
  receiver.setBehavior('/slack', (response) => void response.writeHead(500).end())
  t.match(await emulator.act('slack', user, { kind: 'text', text: 'Hi' }), { kind: 'performed', taken: false })
  const calls = await emulated.waitForCalls('/slack', 4)
  t.same(
    calls.map(({ headers }) => headers['x-slack-retry-num']),
    [undefined, '1', '2', '3'],
  )
  t.equal(new Set(calls.map(({ body }) => body.toString())).size, 1, 'each time the same')
  receiver.setBehavior('/slack', (response) => void response.writeHead(500, { 'x-slack-no-retry': '1' }).end())
  await emulator.act('slack', user, { kind: 'text', text: 'Hi' })
  receiver.setBehavior('/slack', (response) => void response.end())
  await emulator.act('slack', user, { kind: 'text', text: 'last' })
  t.equal(receiver.at('/slack').length, 6)
})

t.test('Slack validates the webhook with a challenge', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth } = openAccount(emulated)
  emulated.receiver.setBehavior('/slack', (response) => {
    const { type, challenge } = bodyIn(emulated.receiver.at('/slack').at(-1)!, auth)
    response.end(type === 'url_verification' ? challenge : '')
  })
  t.equal(await emulated.emulator.accounts.greet('slack'), 'taken')
})
