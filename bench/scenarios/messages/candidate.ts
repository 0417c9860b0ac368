/**
 * A whole node in the messages scenario: each message is accepted over HTTP, durable, and delivered to the emulated
 * provider.
 */
import { cpuMicros, serveCandidate } from '../../harness/rpc.js'
import type { Sample } from '../../harness/sample.js'
import { watchConversations } from './conversationwatch.js'
import { messageText, people } from './fixtures.js'
import { createSendLoad, openGateway } from './gateway.js'
import { greetAll, sleep } from './phones.js'

/** How long the last messages of a window may take to the provider. */
const handOverMs = 10_000

const asids = new Set<string>()
/** Messages accepted and not delivered yet, or delivered before their answer is out: the provider may be first. */
const unmatched = new Set<string>()
let failures: Record<string, number> = {}

function toggleUnmatched(messageId: string): void {
  if (!unmatched.delete(messageId)) unmatched.add(messageId)
}

function fail(what: string, count = 1): void {
  failures[what] = (failures[what] ?? 0) + count
}

const gateway = await openGateway({
  wrapShards: watchConversations({
    onInbound: (asid) => asids.add(asid),
    onSend(_asid, _offered, answers) {
      for (const answer of answers) {
        if ('messageId' in answer) toggleUnmatched(answer.messageId)
        else fail(`rejected as ${answer.reason}`)
      }
    },
    onDelivery(messageId, { kind }) {
      if (kind === 'sent') toggleUnmatched(messageId)
      else fail('not taken by the provider')
    },
  }),
})
await greetAll(gateway.phones, people)

/** Waits until the provider has every accepted message. A missing one is a failure of the window. */
async function waitForDelivery(): Promise<Sample> {
  const start = { at: performance.now(), cpu: cpuMicros() }
  while (unmatched.size > 0 && performance.now() - start.at < handOverMs) await sleep(1)
  if (unmatched.size > 0) fail('accepted and never handed over', unmatched.size)
  unmatched.clear()
  const windowFailures = failures
  failures = {}
  return {
    operations: 0,
    seconds: (performance.now() - start.at) / 1000,
    failures: windowFailures,
    bytes: 0,
    latencyMs: [],
    cpuMicros: cpuMicros() - start.cpu,
  }
}

serveCandidate({
  ready: {
    ...createSendLoad(gateway, [...asids], messageText),
    notes: [
      `${people} people in turn. The time until the provider had the last message of a window is part of the window, and a`,
      'message that was accepted and never handed over is a failure.',
    ],
  },
  work: waitForDelivery,
  close: gateway.stop,
})
