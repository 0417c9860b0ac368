/** A whole node in the messages scenario: each message is accepted over HTTP, durable, and handed to the emulated provider. */
import { cpuMicros, present } from '../control.js'
import type { Sample } from '../sample.js'
import { openGateway, sendingTo } from './gateway.js'
import { introduce, pause } from './phones.js'
import { messageText, people } from './setting.js'
import { watching } from './watching.js'

/** How long the last of a window may need on their way to the provider. */
const handOverMs = 10_000

const asids = new Set<string>()
/** Messages accepted and not handed over yet; or the other way round, since the provider may have one before its answer is out. */
const halfway = new Set<string>()
let failures: Record<string, number> = {}

function passed(messageId: string): void {
  if (!halfway.delete(messageId)) halfway.add(messageId)
}

function fail(what: string, count = 1): void {
  failures[what] = (failures[what] ?? 0) + count
}

const gateway = await openGateway({
  between: watching({
    heard: (asid) => asids.add(asid),
    offered(_asid, _offered, answers) {
      for (const answer of answers) {
        if ('messageId' in answer) passed(answer.messageId)
        else fail(`rejected as ${answer.reason}`)
      }
    },
    handedOver(messageId, { kind }) {
      if (kind === 'sent') passed(messageId)
      else fail('not taken by the provider')
    },
  }),
})
await introduce(gateway.phones, people)

/** Waits until the provider has all that was accepted. What it does not get is a failure of the window. */
async function handOver(): Promise<Sample> {
  const begun = { at: performance.now(), cpu: cpuMicros() }
  while (halfway.size > 0 && performance.now() - begun.at < handOverMs) await pause(1)
  if (halfway.size > 0) fail('accepted and never handed over', halfway.size)
  halfway.clear()
  const found = failures
  failures = {}
  return {
    operations: 0,
    seconds: (performance.now() - begun.at) / 1000,
    failures: found,
    bytes: 0,
    latencyMs: [],
    cpuMicros: cpuMicros() - begun.cpu,
  }
}

present({
  ready: {
    ...sendingTo(gateway, [...asids], messageText),
    notes: [
      `${people} people in turn. The time until the provider had the last message of a window is part of the window, and a`,
      'message that was accepted and never handed over is a failure.',
    ],
  },
  work: handOver,
  close: gateway.stop,
})
