/** A whole node in the sms scenario: each message is accepted over HTTP, durable, and submitted to a message center. */
import { cpuMicros, serveCandidate } from '../../harness/rpc.js'
import { watchConversations } from '../messages/conversationwatch.js'
import { createSendLoad, openGateway } from '../messages/gateway.js'
import { sleep } from '../messages/phones.js'
import { account, host, messageText, people } from './fixtures.js'
import { createDeliveryWait, startCenter } from './rpc.js'

const center = await startCenter()
const asids = new Set<string>()
/** The highest rate that a contract may allow, so that the rate limit is not measured. */
const auth = { ...account, host, port: center.port, ratePerSecond: 10_000 }
const gateway = await openGateway({
  wrapShards: watchConversations({ onInbound: (asid) => asids.add(asid) }),
  binding: { mode: 'unmanaged', provider: 'smpp', auth },
})
while (!(await center.count()).isBound) await sleep(10)
await center.greet(people)

serveCandidate({
  ready: {
    ...createSendLoad(gateway, [...asids], messageText),
    notes: [
      `${people} people in turn; up to ${account.windowSize} submits under way, each asking for a receipt. A message is on`,
      'the disk before it is accepted. The time until the message center had the last one is part of the window.',
    ],
  },
  work: createDeliveryWait(center, cpuMicros),
  async close() {
    await gateway.stop()
    center.stop()
  },
})
