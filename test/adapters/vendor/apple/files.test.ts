/**
 * Files of Apple Messages for Business: encrypted where they lie, found with the account's token, read with their own
 * key.
 */
import { createDecipheriv } from 'node:crypto'
import t from 'tap'
import { appleAdapter } from '../../../../adapters/vendor/apple/adapter.js'
import type { Adapter } from '../../../../core/channel/adapter.js'
import type { ProviderMedia } from '../../../../core/channel/providermedia.js'
import { png } from '../../../runtime/media/samples.js'
import { openAdapterHarness } from '../../emulator/adapterharness.js'

const person = 'urn:mbid:person-1'
const adapter = appleAdapter as Adapter

t.test('A picture is fetched from the URL that Apple names, and decrypted with the attached key', async (t) => {
  const { emulator, items, waitForItem, sendContextTo } = await openAdapterHarness(t, 'apple', adapter)
  const url = `data:image/png;base64,${png.toString('base64')}`
  await emulator.act('apple', person, { kind: 'media', url, type: 'image/png', name: 'b.png' })
  const isContent = (item: (typeof items)[number]) => 'inbound' in item && item.inbound.kind === 'content'
  await waitForItem(isContent)
  const { inbound } = items.find(isContent) as { inbound: { content: { media: readonly ProviderMedia[] } } }
  const [media] = inbound.content.media
  t.match(media, { type: 'image/png', name: 'b.png' })
  const opening = await adapter.openMedia!(media!.mediaRef, sendContextTo(person, 'x'))
  if (opening.kind !== 'at') throw new Error(opening.detail)
  const lying = Buffer.from(await (await fetch(opening.url, { headers: opening.headers })).arrayBuffer())
  t.notOk(lying.equals(png), 'it lies there encrypted')
  const decipher = createDecipheriv('aes-256-ctr', Buffer.from(opening.aesKey!, 'hex'), Buffer.alloc(16))
  t.ok(Buffer.concat([decipher.update(lying), decipher.final()]).equals(png))
})

t.test('A reply that is too large for a call is fetched from its URL', async (t) => {
  const { emulator, items, waitForItem, deliver, sendContextTo } = await openAdapterHarness(t, 'apple', adapter)
  await emulator.act('apple', person, { kind: 'text', text: 'Hi' })
  await waitForItem((item) => 'inbound' in item && item.inbound.kind === 'content')
  const label = 'Yes, please'
  const options = [label, 'No, thanks'].map((each, at) => ({ id: `o${at}`, label: each }))
  const { id } = await deliver(
    { spec: 'amf/1', parts: [{ type: 'ask.choice', intentId: 'room', prompt: 'Which?', options }] },
    person,
  )
  const [record] = emulator.sent(0)
  const { interactiveData } = record!.body as { interactiveData: { data: Record<string, { summaryText?: string }> } }
  // An answer contains the whole summary, however long it is.
  const reply = interactiveData.data['quick-reply'] ?? interactiveData.data.listPicker!
  Object.assign(reply, { summaryText: 'x'.repeat(11_000) })
  const list = interactiveData.data.listPicker as unknown as { sections: { items: object[] }[] } | undefined
  if (list) Object.assign(list.sections[0]!.items[0]!, { subtitle: 'x'.repeat(11_000) })
  await emulator.act('apple', person, { kind: list ? 'row' : 'tap', label })
  const isReference = (item: (typeof items)[number]) => 'inbound' in item && item.inbound.kind === 'reference'
  await waitForItem(isReference)
  const item = items.find(isReference) as { inbound: { reference: string } }
  const sendContext = sendContextTo(person, 'x')
  const followed = await adapter.follow!(item.inbound.reference, {
    ...sendContext,
    // What lies there is no text.
    call: async (request) => {
      const { method, url, headers, body } = request
      const answer = await fetch(url, { method, ...(headers && { headers }), ...(body && { body: body as string }) })
      const bytes = Buffer.from(await answer.arrayBuffer())
      return { kind: 'answer', status: answer.status, header: () => '', body: bytes.toString(), bytes }
    },
  })
  t.match(followed, { kind: 'inbound', inbound: { kind: 'tap', messageId: id, label } })
})

t.test('A file that Apple does not find now is refused, so that it is requested again', async (t) => {
  const { sendContextTo } = await openAdapterHarness(t, 'apple', adapter)
  const filed = { url: 'https://mmcs.example/none', owner: 'M', signature: 'ab', key: `00${'ab'.repeat(32)}` }
  const mediaRef = Buffer.from(JSON.stringify(filed)).toString('base64url')
  t.match(await adapter.follow!(mediaRef, sendContextTo(person, 'x')), { kind: 'refused' })
  t.match(await adapter.follow!('bm90aGluZw', sendContextTo(person, 'x')), { kind: 'refused' })
})
