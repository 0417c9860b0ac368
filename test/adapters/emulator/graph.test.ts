/** The emulated WhatsApp, Messenger and Instagram, called as their documents say. */
import { createHmac } from 'node:crypto'
import t from 'tap'
import type { Account } from '../../../adapters/emulator/contract.js'
import type { Received } from '../../harness/receiver.js'
import { asJson, type EmulatorHarness, openEmulatorHarness } from './emulatorharness.js'

const number = '15550100001'
const person = '7000000000000001'

/** What an app would do: the signature over the raw bytes, then the body. */
function bodyIn({ body, headers }: Received, { auth }: Account) {
  const mac = createHmac('sha256', auth.appSecret as string)
    .update(body)
    .digest('hex')
  if (headers['x-hub-signature-256'] !== `sha256=${mac}`) throw new Error('the signature is not good')
  return JSON.parse(body.toString())
}

function whatsapp(emulated: EmulatorHarness, more = {}) {
  const account = emulated.account('whatsapp', more)
  const { phoneNumberId, accessToken, apiUrl } = account.auth as Record<string, string>
  const url = `${apiUrl}/v23.0/${phoneNumberId}/messages`
  const post = (body: unknown, token = accessToken) =>
    emulated.call(url, asJson(body, { authorization: `Bearer ${token}` }))
  const send = (content: object, to = number) =>
    post({ messaging_product: 'whatsapp', recipient_type: 'individual', to, ...content })
  const values = (calls: readonly Received[]) => calls.map((each) => bodyIn(each, account).entry[0].changes[0].value)
  return { account, url, post, send, values }
}

const text = (body: string) => ({ type: 'text', text: { body } })
const interactive = (content: object) => ({ type: 'interactive', interactive: content })
const buttons = (...titles: string[]) =>
  interactive({
    type: 'button',
    body: { text: 'Choose' },
    action: { buttons: titles.map((title, index) => ({ type: 'reply', reply: { id: `p1.m.${index}`, title } })) },
  })
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `p1.m.${index}`, title: `Row ${index}`, description: 'd' }))
const list = (...sections: object[]) =>
  interactive({ type: 'list', body: { text: 'Choose' }, action: { button: 'Open', sections } })
const cardOf = (index: number, more: object = {}) => ({
  card_index: index,
  type: 'cta_url',
  header: { type: 'image', image: { link: 'https://a.example/b.png' } },
  body: { text: 'A card' },
  action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://a.example' } },
  ...more,
})
const carousel = (...cards: object[]) => interactive({ type: 'carousel', body: { text: 'Look' }, action: { cards } })

t.test('WhatsApp accepts messages within the window of 24 hours and reports each of their states', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send, values } = whatsapp(emulated)
  await emulated.emulator.act('whatsapp', number, { kind: 'text', text: 'Hi' })
  const { status, json } = await send(text('Hello'))
  t.equal(status, 200)
  t.match(json, { contacts: [{ input: number, wa_id: number }], messages: [{ id: /^wamid\./ }] })
  const [inbound, ...callbacks] = values(await emulated.waitForCalls('/whatsapp', 4))
  t.match(inbound, {
    contacts: [{ wa_id: number }],
    messages: [{ from: number, type: 'text', text: { body: 'Hi' } }],
  })
  const id = json.messages[0].id
  t.match(
    callbacks.map(({ statuses }) => statuses[0]),
    ['sent', 'delivered', 'read'].map((state) => ({ id, status: state, recipient_id: number })),
  )
})

t.test('WhatsApp fails a message outside the window, and accepts a template', async (t) => {
  let now = Date.now()
  const emulated = await openEmulatorHarness(t, { now: () => now })
  const { send, values } = whatsapp(emulated)
  t.equal((await send(text('Hello'))).status, 200)
  t.match(values(await emulated.waitForCalls('/whatsapp', 1)), [
    { statuses: [{ status: 'failed', errors: [{ code: 131_047 }] }] },
  ])
  const template = { type: 'template', template: { name: 'hello', language: { code: 'en_US' } } }
  await send(template)
  t.match(values(await emulated.waitForCalls('/whatsapp', 2))[1], { statuses: [{ status: 'sent' }] })
  await emulated.waitForCalls('/whatsapp', 4)
  await emulated.emulator.act('whatsapp', number, { kind: 'text', text: 'Hi' })
  now += 24 * 3_600_000 + 1
  await send(text('too late'))
  t.match(values(await emulated.waitForCalls('/whatsapp', 6))[5], { statuses: [{ errors: [{ code: 131_047 }] }] })
})

t.test('WhatsApp refuses a message over a limit or of an unknown shape', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send, post, url } = whatsapp(emulated)
  for (const [why, content] of [
    ['text of 4,097', text('a'.repeat(4_097))],
    ['four buttons', buttons('a', 'b', 'c', 'd')],
    ['a title of 21', buttons('a'.repeat(21))],
    ['the same title twice', buttons('a', 'a')],
    [
      'eleven rows',
      list(
        { title: 'a', rows: rowsOf(6) },
        { title: 'b', rows: rowsOf(5).map((row) => ({ ...row, id: `x${row.id}` })) },
      ),
    ],
    ['two sections without titles', list({ rows: rowsOf(1) }, { rows: [{ id: 'x', title: 'y' }] })],
    ['a row title of 25', list({ rows: [{ id: 'x', title: 'a'.repeat(25) }] })],
    ['a row description of 73', list({ rows: [{ id: 'x', title: 'a', description: 'a'.repeat(73) }] })],
    ['one card', carousel(cardOf(0))],
    ['eleven cards', carousel(...Array.from({ length: 11 }, (_, index) => cardOf(index)))],
    ['a card without a header', carousel(cardOf(0), cardOf(1, { header: undefined }))],
    ['a card of 161', carousel(cardOf(0), cardOf(1, { body: { text: 'a'.repeat(161) } }))],
    ['three line breaks in a card', carousel(cardOf(0), cardOf(1, { body: { text: 'a\nb\nc\nd' } }))],
    ['unlike buttons', carousel(cardOf(0), cardOf(1, { action: { buttons: [quick('a')] } }))],
    [
      'a body of 1,025',
      interactive({
        type: 'location_request_message',
        body: { text: 'a'.repeat(1_025) },
        action: { name: 'send_location' },
      }),
    ],
    ['an unknown type', { type: 'poll', poll: {} }],
    ['an unknown name', { ...text('a'), priority: 1 }],
  ] as const) {
    t.match(await send(content), { status: 400, json: { error: { code: 100, message: /^\(#100\)/ } } }, why)
  }
  t.match(await post({ ...text('a'), to: number }), { status: 400 }, 'messaging_product is missing')
  t.match(await send(text('a'), 'somebody'), { status: 400 })
  t.match(await post({ messaging_product: 'whatsapp', to: number, ...text('a') }, 'wrong'), {
    status: 401,
    json: { error: { code: 190 } },
  })
  t.equal((await emulated.call(url.replace(/\d+\/messages/, '99/messages'), asJson({}))).status, 404)
  t.same(emulated.emulator.sent(0), [])
  for (const content of [
    text('a'.repeat(4_096)),
    buttons('a'.repeat(20), 'b', 'c'),
    list({ rows: rowsOf(10) }),
    carousel(...Array.from({ length: 10 }, (_, index) => cardOf(index, { body: { text: 'a\nb\nc' } }))),
    carousel(cardOf(0, { action: { buttons: [quick('a')] } }), cardOf(1, { action: { buttons: [quick('b')] } })),
    { type: 'image', image: { link: 'https://a.example/b.png', caption: 'x' } },
    { type: 'location', location: { latitude: 1, longitude: 2, name: 'x' } },
  ]) {
    const answer = await send(content)
    t.equal(answer.status, 200, answer.text)
  }
})

const quick = (title: string) => ({ type: 'quick_reply', quick_reply: { id: `p1.m.${title}`, title } })

t.test('Taps, rows, places and files of WhatsApp arrive in the form of its webhooks', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { account, send, post, values } = whatsapp(emulated, { reads: false })
  const { emulator } = emulated
  await emulator.act('whatsapp', `+${number}`, { kind: 'text', text: 'Hi' })
  const first = (await send(buttons('Tea', 'Coffee'))).json.messages[0].id
  await send(list({ rows: rowsOf(4) }))
  await emulated.waitForCalls('/whatsapp', 5)
  for (const act of [
    { kind: 'tap', label: 'Coffee' },
    { kind: 'row', index: 2 },
    { kind: 'location', latitude: 1, longitude: 2, label: 'Pier' },
    { kind: 'media', url: 'https://a.example/c.pdf', type: 'application/pdf', name: 'c.pdf' },
    { kind: 'read' },
    { kind: 'stop' },
  ] as const) {
    t.match(await emulator.act(account.id, number, act), { kind: 'performed', taken: true })
  }
  const callbacks = values(await emulated.waitForCalls('/whatsapp', 11)).slice(5)
  t.match(callbacks, [
    {
      messages: [
        {
          type: 'interactive',
          interactive: { button_reply: { id: 'p1.m.1', title: 'Coffee' } },
          context: { id: first },
        },
      ],
    },
    {
      messages: [
        { interactive: { type: 'list_reply', list_reply: { id: 'p1.m.2', title: 'Row 2', description: 'd' } } },
      ],
    },
    { messages: [{ type: 'location', location: { latitude: 1, longitude: 2, name: 'Pier' } }] },
    { messages: [{ type: 'document', document: { mime_type: 'application/pdf', filename: 'c.pdf' } }] },
    { statuses: [{ status: 'read' }] },
    { messages: [{ text: { body: 'STOP' } }] },
  ])
  t.match(await emulator.act(account.id, number, { kind: 'tap', label: 'Cocoa' }), { kind: 'impossible' })
  t.match(await emulator.act(account.id, number, { kind: 'typing' }), { kind: 'impossible' })
  const mark = (id: string) =>
    post({ messaging_product: 'whatsapp', status: 'read', message_id: id, typing_indicator: { type: 'text' } })
  t.match(await mark(callbacks[0].messages[0].id), { status: 200, json: { success: true } })
  t.match(await mark('wamid.unknown'), { status: 400, json: { error: { code: 131_009 } } })
})

t.test('An app gets a handshake with its verify token and returns the challenge', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const greeted: string[] = []
  for (const provider of ['whatsapp', 'messenger', 'instagram'] as const) {
    const { auth } = emulated.account(provider)
    const greeting = emulated.emulator.accounts.greet(provider)
    t.equal(await greeting, 'refused', 'an answer without the challenge is invalid')
    greeted.push(auth.verifyToken as string)
  }
  t.equal(new Set(greeted).size, 3)
})

function page(emulated: EmulatorHarness, provider: 'messenger' | 'instagram', more = {}) {
  const account = emulated.account(provider, more)
  const { pageId, accountId, accessToken, apiUrl } = account.auth as Record<string, string>
  const send = (message: object, token = accessToken, node = 'me') =>
    emulated.call(
      `${apiUrl}/v23.0/${node}/messages?access_token=${token}`,
      asJson({ recipient: { id: person }, messaging_type: 'RESPONSE', message }),
    )
  const events = (calls: readonly Received[]) => calls.map((each) => bodyIn(each, account).entry[0].messaging[0])
  const signal = (sender_action: string) =>
    emulated.call(
      `${apiUrl}/v23.0/me/messages?access_token=${accessToken}`,
      asJson({ recipient: { id: person }, sender_action }),
    )
  return { account, pageId, accountId, send, signal, events }
}

const generic = (...elements: object[]) => ({
  attachment: { type: 'template', payload: { template_type: 'generic', elements } },
})
const postback = (title: string, payload = 'p1.m.0') => ({ type: 'postback', title, payload })
const quickReply = (title: string, payload = 'p1.m.0') => ({ content_type: 'text', title, payload })

t.test('Messenger accepts messages within its window, and reports delivery and reading by watermarks', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send, signal, events, pageId } = page(emulated, 'messenger')
  t.match(await send({ text: 'Hi' }), { status: 400, json: { error: { code: 10, error_subcode: 2_018_278 } } })
  await emulated.emulator.act('messenger', person, { kind: 'text', text: 'Hi' })
  const before = Date.now()
  const { status, json } = await send({ text: 'Hello' })
  t.equal(status, 200)
  t.match(json, { recipient_id: person, message_id: /^m_/ })
  t.equal((await send({ text: 'Again' }, undefined, pageId)).status, 200)
  t.match(await signal('typing_on'), { status: 200, json: { recipient_id: person } })
  const callbacks = events(await emulated.waitForCalls('/messenger', 5))
  t.match(callbacks[0], { sender: { id: person }, recipient: { id: pageId }, message: { text: 'Hi' } })
  const delivery = callbacks.find((each) => each.delivery?.mids.includes(json.message_id))
  t.ok(delivery.delivery.watermark >= before)
  t.ok(callbacks.some((each) => each.read?.watermark >= before))
})

t.test('Instagram reports reading, echoes sent messages, and has no delivery receipts', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send, events, accountId } = page(emulated, 'instagram')
  await emulated.emulator.act('instagram', person, { kind: 'text', text: 'Hi' })
  const { json } = await send({ text: 'Hello' })
  const [, ...callbacks] = events(await emulated.waitForCalls('/instagram', 3))
  t.match(callbacks, [
    {
      sender: { id: accountId },
      recipient: { id: person },
      message: { is_echo: true, mid: json.message_id, text: 'Hello' },
    },
    { sender: { id: person }, read: { mid: json.message_id } },
  ])
})

t.test('Messenger and Instagram each refuse a message over their own limits', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const both = { messenger: page(emulated, 'messenger'), instagram: page(emulated, 'instagram') }
  for (const provider of ['messenger', 'instagram'] as const) {
    await emulated.emulator.act(provider, person, { kind: 'text', text: 'Hi' })
    const { send } = both[provider]
    for (const [why, message] of [
      ['14 quick replies', { text: 'x', quick_replies: Array.from({ length: 14 }, () => quickReply('a')) }],
      ['a payload of 1,001', { text: 'x', quick_replies: [quickReply('a', 'b'.repeat(1_001))] }],
      ['eleven elements', generic(...Array.from({ length: 11 }, () => ({ title: 'a', subtitle: 'b' })))],
      ['a title of 81', generic({ title: 'a'.repeat(81), subtitle: 'b' })],
      ['a subtitle of 81', generic({ title: 'a', subtitle: 'b'.repeat(81) })],
      ['a title alone', generic({ title: 'a' })],
      ['four buttons', generic({ title: 'a', buttons: Array.from({ length: 4 }, () => postback('a')) })],
      ['a button title of 21', generic({ title: 'a', buttons: [postback('a'.repeat(21))] })],
      ['text and attachment', { text: 'x', ...generic({ title: 'a', subtitle: 'b' }) }],
      ['an unknown name', { text: 'x', priority: 1 }],
    ] as const) {
      t.match(await send(message), { status: 400, json: { error: { code: 100 } } }, `${provider}: ${why}`)
    }
    t.match(await send({ text: 'a' }, 'wrong'), { status: 401, json: { error: { code: 190 } } })
    t.equal(
      (await send({ text: 'x', quick_replies: [quickReply('a'.repeat(30))] })).status,
      200,
      'a longer title is cut',
    )
  }
  const { messenger, instagram } = both
  t.equal((await messenger.send({ text: 'é'.repeat(2_000) })).status, 200)
  t.equal((await messenger.send({ text: 'a'.repeat(2_001) })).status, 400)
  t.equal((await instagram.send({ text: 'a'.repeat(1_000) })).status, 200)
  t.equal((await instagram.send({ text: 'é'.repeat(501) })).status, 400, 'Instagram counts bytes')
  const dial = generic({ title: 'a', buttons: [{ type: 'phone_number', title: 'Call', payload: '+15550100001' }] })
  t.equal((await messenger.send(dial)).status, 200)
  t.equal((await instagram.send(dial)).status, 400, 'and it dials no number')
})

t.test('Quick replies return as a message with a truncated title, buttons as a postback', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send, events } = page(emulated, 'messenger', { reads: false })
  const { emulator } = emulated
  await emulator.act('messenger', person, { kind: 'text', text: 'Hi' })
  await send(
    generic({
      title: 'One',
      buttons: [postback('Select', 'p1.m.7'), { type: 'web_url', title: 'Open', url: 'https://a.example' }],
    }),
  )
  await send({ text: 'x', quick_replies: [quickReply('A label that is far too long', 'p1.m.8')] })
  await emulated.waitForCalls('/messenger', 3)
  await emulator.act('messenger', person, { kind: 'tap', label: 'Select' })
  await emulator.act('messenger', person, { kind: 'tap', index: 0 })
  await emulator.act('messenger', person, { kind: 'media', url: 'https://a.example/b.mp4', type: 'video/mp4' })
  await emulator.act('messenger', person, { kind: 'read' })
  t.match(events(await emulated.waitForCalls('/messenger', 7)).slice(3), [
    { postback: { title: 'Select', payload: 'p1.m.7' } },
    { message: { text: 'A label that is far ', quick_reply: { payload: 'p1.m.8' } } },
    { message: { attachments: [{ type: 'video', payload: { url: 'https://a.example/b.mp4' } }] } },
    { read: { watermark: Number } },
  ])
})

t.test('A message to a person who is unreachable or has blocked the page is refused at once', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { send } = page(emulated, 'messenger')
  await emulated.emulator.act('messenger', person, { kind: 'text', text: 'Hi' })
  const { id } = emulated.emulator.faults.add({ account: 'messenger', address: person, kind: 'blocked' })!
  t.match(await send({ text: 'a' }), { status: 400, json: { error: { code: 551 } } })
  t.ok(emulated.emulator.faults.remove(id))
  t.equal((await send({ text: 'a' })).status, 200)
})
