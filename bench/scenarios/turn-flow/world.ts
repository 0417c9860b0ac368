/** The process of the people in the paced candidate of turn-flow: they write in turn, answered or not. */
import { addressOf, type Phones, sendTexts, sleep } from '../messages/phones.js'
import { orderText, people } from './agent.js'
import { textAt } from './calls.js'

/** A thousand people who each write every ten seconds. */
const everyMs = 10
/** How long the last answers may take. */
const graceMs = 10_000

export interface Talk {
  readonly phones: Phones
  readonly seconds: number
}

export interface TalkResult {
  readonly failures: Readonly<Record<string, number>>
}

let written = 0

/** A node that falls behind gets no relief. */
async function talk({ phones, seconds }: Talk): Promise<TalkResult> {
  const failures: Record<string, number> = {}
  const inFlight = new Set<Promise<void>>()
  const write = (number: number) => {
    const item = { id: `text-${number}`, from: addressOf(number % people), text: textAt([orderText], number) }
    const answered = sendTexts(phones, [item])
      .catch((failure: unknown) => {
        failures[String(failure)] = (failures[String(failure)] ?? 0) + 1
      })
      .finally(() => inFlight.delete(answered))
    inFlight.add(answered)
  }
  const start = performance.now()
  for (let elapsedMs = 0, sent = 0; elapsedMs < seconds * 1000; elapsedMs = performance.now() - start) {
    for (; sent * everyMs <= elapsedMs; sent++) write(written++)
    await sleep(1)
  }
  await Promise.race([Promise.all(inFlight), sleep(graceMs)])
  return { failures }
}

process.on('disconnect', () => process.exit(0))
process.on('message', (asked: Talk) => {
  talk(asked).then((result) => process.send?.(result))
})
