/** Kannel in the sms scenario: sendsms accepts each message over HTTP, holds it in memory and submits it. */
import { serveCandidate } from '../../harness/rpc.js'
import type { Sample } from '../../harness/sample.js'
import { addressOf, sleep } from '../messages/phones.js'
import { account, messageText } from './fixtures.js'
import { startKannel } from './kannel.js'
import { createDeliveryWait, startCenter } from './rpc.js'

const center = await startCenter()
const kannel = await startKannel(center.port)
while (!(await center.count()).isBound) await sleep(10)

const { systemId: username, password } = account
const query = new URLSearchParams({ username, password, to: addressOf(0), text: messageText })
const handOver = createDeliveryWait(center, kannel.cpuMicros)
const usedSample = (): Sample => ({
  ...{ operations: 0, seconds: 0, failures: {}, bytes: 0, latencyMs: [] },
  cpuMicros: kannel.cpuMicros(),
})

serveCandidate({
  ready: {
    port: kannel.port,
    request: { method: 'GET', path: `/cgi-bin/sendsms?${query}`, headers: {}, body: '' },
    notes: [
      `bearerbox and smsbox of Debian; up to ${account.windowSize} submits under way, no receipts asked for, nothing on the`,
      'disk, only errors logged. Its processor time is that of its two programs.',
    ],
  },
  work: async (window) => (window.seconds === 0 ? usedSample() : handOver(window)),
  close() {
    kannel.stop()
    center.stop()
  },
})
