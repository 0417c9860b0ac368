/**
 * A picture from a phone to an agent, over the real adapters, from providers that give it to nobody without
 * credentials.
 */
import t from 'tap'
import { EmulatedAccount } from '../harness/account.js'
import { startNode } from '../harness/process.js'
import { TestAgent } from '../harness/testagent.js'
import { png } from '../runtime/media/samples.js'
import { providerRows } from './providertable.js'

t.setTimeout(120_000)
const node = await startNode({ PARLEY_EMULATOR: 'true', PARLEY_TIME_SCALE: '10', PARLEY_ALLOW_PRIVATE_URLS: 'true' })
t.teardown(() => node.clean())

const url = `data:image/png;base64,${png.toString('base64')}`

for (const provider of ['whatsapp', 'slack', 'twilio'] as const) {
  t.test(`A picture sent over ${provider} opens for the agent, and not without the credentials`, async (t) => {
    const { channel, address, hasWindow } = providerRows[provider]
    const testAgent = await TestAgent.open(t, node, `Pictures of ${provider}`)
    const account = await EmulatedAccount.open(testAgent, provider, channel, address)
    t.ok(await account.act({ kind: 'media', url, type: 'image/png', name: 'pier.png' }))
    const events = await testAgent.nextContentEvents(t, hasWindow ? 3 : 2)
    const { message } = events.at(-1)!.event.event as unknown as {
      message: { media: { url: string; type: string }[] }
    }
    const [picture] = message.media
    t.equal(picture?.type, 'image/png')
    t.ok(picture?.url.startsWith(`${node.gateway}/v4/media/received/`), 'at an address of the gateway')

    await account.injectFaults({ kind: 'unauthorized', allCalls: true, times: 1 })
    const refused = await fetch(picture!.url)
    t.equal(refused.status, 502)
    t.match(await refused.json(), { code: 'media.unreachable', message: /\.$/ })

    const opened = await fetch(picture!.url)
    t.same([opened.status, opened.headers.get('content-type')], [200, 'image/png'])
    t.equal(opened.headers.get('x-content-type-options'), 'nosniff')
    t.ok(Buffer.from(await opened.arrayBuffer()).equals(png))
    const printed = node.stdout() + node.stderr()
    for (const secret of ['accessToken', 'botToken', 'authToken'])
      t.notOk(
        account.account.auth[secret] && printed.includes(String(account.account.auth[secret])),
        'no secret is logged',
      )
  })
}
