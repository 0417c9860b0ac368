/** Files that people send to emulated providers: named in calls, and served to requests with the right credentials. */
import t from 'tap'
import type { Account } from '../../../adapters/emulator/contract.js'
import { whatsappAdapter } from '../../../adapters/messenger/whatsapp/adapter.js'
import { twilioAdapter } from '../../../adapters/sms/twilio/adapter.js'
import { slackAdapter } from '../../../adapters/workchat/slack/adapter.js'
import type { Adapter } from '../../../core/channel/adapter.js'
import type { MediaAccess, ProviderMedia } from '../../../core/channel/providermedia.js'
import { png } from '../../runtime/media/samples.js'
import { type AdapterHarness, openAdapterHarness } from './adapterharness.js'

const rows = [
  ['whatsapp', whatsappAdapter as Adapter, '15550100001', 'accessToken'],
  ['slack', slackAdapter as Adapter, 'D0PERSON1', 'botToken'],
  ['twilio', twilioAdapter as Adapter, '+15550100001', 'authToken'],
] as const

const inside = `data:image/png;base64,${png.toString('base64')}`
const outside = 'https://a.example/b.png'

/** What the adapter makes of a picture that was sent. */
async function receiveMediaRef(
  { emulator, items, waitForItem }: AdapterHarness,
  provider: string,
  address: string,
  url: string,
) {
  const before = items.length
  await emulator.act(provider, address, { kind: 'media', url, type: 'image/png', name: 'b c.png' })
  await waitForItem((item) => items.indexOf(item) >= before)
  const item = items[before]!
  if ('problem' in item || item.inbound.kind !== 'content') throw new Error('it is not understood')
  const [media] = item.inbound.content.media as readonly ProviderMedia[]
  t.notMatch(JSON.stringify(media), 'a.example', 'the URL does not reveal its origin')
  return media!.mediaRef
}

const at = (opening: MediaAccess) => {
  if (opening.kind !== 'at') throw new Error(opening.detail)
  return opening
}

for (const [provider, adapter, address, secret] of rows) {
  t.test(`${provider}: a file of a person opens with the request of the real adapter only`, async (t) => {
    const harness = await openAdapterHarness(t, provider, adapter)
    const sendContext = harness.sendContextTo(address, 'x')
    const mediaRef = await receiveMediaRef(harness, provider, address, inside)
    const { url, headers } = at(await adapter.openMedia!(mediaRef, sendContext))
    const good = await fetch(url, { headers })
    t.equal(good.status, 200)
    t.ok(Buffer.from(await good.arrayBuffer()).equals(png))

    const auth = { ...(sendContext.auth as Account['auth']), [secret]: 'xoxb-another' }
    for (const wrong of ['', 'Bearer x', 'Basic eDp5']) {
      const bad = await fetch(url, { headers: { authorization: wrong }, redirect: 'manual' })
      t.notOk(Buffer.from(await bad.arrayBuffer()).includes(png), 'the file is refused without the credentials')
    }
    const other = await adapter.openMedia!(mediaRef, { ...sendContext, auth })
    if (other.kind === 'at') {
      const bad = await fetch(other.url, { headers: other.headers })
      t.notOk(Buffer.from(await bad.arrayBuffer()).includes(png), 'the file is refused with other credentials')
    }
  })

  t.test(`${provider}: a file stored elsewhere is redirected to, and faults of all calls apply to files`, async (t) => {
    const harness = await openAdapterHarness(t, provider, adapter)
    const mediaRef = await receiveMediaRef(harness, provider, address, outside)
    const { url, headers } = at(await adapter.openMedia!(mediaRef, harness.sendContextTo(address, 'x')))
    const answer = await fetch(url, { headers, redirect: 'manual' })
    t.same([answer.status, answer.headers.get('location')], [302, outside])
    harness.emulator.faults.add({ account: provider, kind: 'serverError', status: 503, allCalls: true, times: 1 })
    t.equal((await fetch(url, { headers, redirect: 'manual' })).status, 503)
  })
}
