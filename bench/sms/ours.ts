/** A whole node in the sms scenario: each message is accepted over HTTP, durable, and submitted to a message center. */
import { cpuMicros, present } from '../control.js'
import { pause } from '../messages/phones.js'
import { watching } from '../messages/watching.js'
import { handingOver, startCenter } from './asking.js'
import { openSmsGateway } from './gateway.js'
import { account, messageText, people } from './setting.js'

const center = await startCenter()
const asids = new Set<string>()
const gateway = await openSmsGateway(center.port, watching({ heard: (asid) => asids.add(asid) }))
while (!(await center.count()).isBound) await pause(10)
await center.greet(people)

const bodies = Array.from(asids, (userId) =>
  JSON.stringify({ userId, messages: [{ spec: 'amf/1', parts: [{ type: 'text', text: messageText }] }] }),
)

present({
  ready: {
    port: Number(new URL(gateway.url).port),
    request: {
      method: 'POST',
      path: '/v4/messages',
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
      body: bodies[0]!,
      bodies,
    },
    notes: [
      `${people} people in turn; up to ${account.windowSize} submits under way, each asking for a receipt. A message is on`,
      'the disk before it is accepted. The time until the message center had the last one is part of the window.',
    ],
  },
  work: handingOver(center, cpuMicros),
  async close() {
    await gateway.stop()
    center.stop()
  },
})
