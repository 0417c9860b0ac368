/** What Messenger and Instagram tell, where order and names matter. */
import t from 'tap'
import { instagramAdapter } from '../../../../adapters/messenger/instagram/adapter.js'
import { messengerAdapter } from '../../../../adapters/messenger/messenger/adapter.js'
import type { Item } from '../../../../core/channel/adapter.js'
import { noon } from '../provider.js'
import { event, hubSign, instagramAuth, pageAuth, psid } from '../samples.js'

const url = 'https://gateway.example/v4/ingress/cb_1'

function receiveItems(adapter: typeof messengerAdapter, ...messaging: readonly unknown[]): readonly Item[] {
  const body = Buffer.from(JSON.stringify({ object: 'page', entry: [{ id: pageAuth.pageId, messaging }] }))
  const signature = hubSign({ method: 'POST', url, body, at: noon }, pageAuth)['X-Hub-Signature-256']
  const received = adapter.receive(
    { bindingId: 'cb_1', method: 'POST', url, header: () => signature, body, at: noon },
    instagramAuth,
  )
  return received.kind === 'items' ? received.items : []
}

t.test('A watermark covers everything up to its time, and repeats under the same id', async (t) => {
  const read = event({ read: { watermark: 1_749_416_390_000 } })
  const [first] = receiveItems(messengerAdapter, read)
  t.match(first, { address: psid, inbound: { kind: 'receipt', receipt: { state: 'read', upTo: 1_749_416_390_000 } } })
  t.same(receiveItems(messengerAdapter, { ...read, timestamp: 1 }), [first], 'whenever it comes')
})

t.test('Messages that a receipt names are reported one by one, beside its watermark', async (t) => {
  const items = receiveItems(messengerAdapter, event({ delivery: { mids: ['m_1', 7, 'm_2'], watermark: 9 } }))
  t.same(
    items.map((item) => 'id' in item && item.id),
    ['m_1:delivered', 'm_2:delivered', `${psid}:9:delivered`],
  )
})

t.test('Actions of people come before receipts, in whatever order they were reported', async (t) => {
  const items = receiveItems(
    messengerAdapter,
    event({ delivery: { watermark: 9 } }),
    event({ message: { mid: 'm_3', text: 'Hi' } }),
    event({ read: { watermark: 9 } }),
    event({ postback: { mid: 'm_4', title: 'Go', payload: 'p1.msg_1.0' } }),
  )
  t.same(
    items.map((item) => 'inbound' in item && item.inbound.kind),
    ['content', 'tap', 'receipt', 'receipt'],
  )
})

t.test('Echoes of our own messages are ignored on Messenger and Instagram', async (t) => {
  const echo = event({ message: { mid: 'm_5', text: 'We said so', is_echo: true } }, pageAuth.pageId)
  t.same(receiveItems(messengerAdapter, echo), [])
  t.same(receiveItems(instagramAdapter, echo), [])
})

t.test('A tapped reply is recognized by its payload, however its label was truncated', async (t) => {
  const [item] = receiveItems(
    messengerAdapter,
    event({ message: { mid: 'm_6', text: 'Table by the wind…', quick_reply: { payload: 'p1.msg_1.3' } } }),
  )
  t.match(item, { inbound: { kind: 'tap', messageId: 'msg_1', tapIndex: 3, label: 'Table by the wind…' } })
})

t.test('An Instagram channel without an account id accepts the accounts of no other channel', async (t) => {
  const entry = (id: string, text: string) => ({ id, messaging: [event({ message: { mid: text, text } })] })
  const body = Buffer.from(JSON.stringify({ object: 'instagram', entry: [entry('1', 'One'), entry('2', 'Two')] }))
  const signature = hubSign({ method: 'POST', url, body, at: noon }, pageAuth)['X-Hub-Signature-256']
  const request = { bindingId: 'cb_1', method: 'POST', url, header: () => signature, body, at: noon } as const
  t.match(instagramAdapter.receive(request, pageAuth), {
    items: [],
    otherAccounts: [
      { account: '1', items: [{ id: 'One' }] },
      { account: '2', items: [{ id: 'Two' }] },
    ],
  })
  t.match(instagramAdapter.receive(request, { ...pageAuth, accountId: '2' }), {
    items: [{ id: 'Two' }],
    otherAccounts: [{ account: '1', items: undefined }],
  })
})

t.test('Receipts and messages without a person are problems', async (t) => {
  const anonymous = receiveItems(
    messengerAdapter,
    { read: { watermark: 1 } },
    { message: { mid: 'm_7', text: 'Hi' } },
    event({}),
  )
  t.equal(anonymous.filter((item) => 'problem' in item).length, 3)
  t.match(receiveItems(messengerAdapter, event({ read: {} })), [{ problem: String }])
})
