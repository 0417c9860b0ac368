/** The process around a node in the roundtrip scenario: people who write at a steady pace, and the webhook that answers. */
import { addressOf, introduce, type Phones, pause, say } from '../messages/phones.js'
import { type Answered, type Asked, itemOf, question, type Talk, type Talked, type Trip } from './asking.js'
import { openWebhook } from './webhook.js'

/** A thousand people who each write every ten seconds; fewer write as much together. */
const everyMs = 10
/** How long the slow one waits for an answer, and rests after it; in a short window a part of that, so that both occur. */
const slowMs = 2_000
const partOfWindow = 1 / 8
/** How long the last trips may take before they count as lost. */
const graceMs = 10_000

const webhook = await openWebhook()
let trips = 0
/** Over when the slow one of the window before has got its last answer. */
let slowTalk = Promise.resolve()
/** Its webhook is at work just now. */
let isSlowOneWaiting = false

async function meet(phones: Phones, people: number): Promise<void> {
  await introduce(phones, people)
  while (webhook.greeted() < people) await pause(10)
}

/** Resolves to how long the webhook had it. */
async function ask(phones: Phones, person: number, trip: number): Promise<number> {
  const answered = webhook.answered(trip)
  await say(phones, [{ id: itemOf(trip), from: addressOf(person), text: question(trip) }])
  return answered
}

/** People write in turn and at their pace, answered or not: a node that falls behind is not spared any of it. */
async function talk(phones: Phones, { seconds, people, hasSlowOne }: Talk): Promise<Talked> {
  const made: Trip[] = []
  const failures: Record<string, number> = {}
  const asking = new Set<Promise<void>>()
  const slowOne = hasSlowOne ? people - 1 : undefined
  let isOver = false

  const askOnce = async (person: number) => {
    const trip = ++trips
    const isBesideSlow = isSlowOneWaiting
    try {
      made.push({ trip, webhookMs: await ask(phones, person, trip), isBesideSlow })
    } catch (failure) {
      const why = String(failure)
      failures[why] = (failures[why] ?? 0) + 1
    }
  }
  const begin = (person: number) => {
    const asked = askOnce(person).finally(() => asking.delete(asked))
    asking.add(asked)
  }
  const askSlowly = async (person: number) => {
    const ms = Math.min(slowMs, seconds * 1000 * partOfWindow)
    while (!isOver) {
      const trip = ++trips
      webhook.expectSlow(trip, ms)
      isSlowOneWaiting = true
      await ask(phones, person, trip)
      isSlowOneWaiting = false
      await pause(ms)
    }
  }

  if (slowOne !== undefined) slowTalk = slowTalk.then(() => askSlowly(slowOne))
  const begun = performance.now()
  let turns = 0
  for (let passed = 0; passed < seconds * 1000; passed = performance.now() - begun) {
    for (; turns * everyMs <= passed; turns++) {
      const person = turns % people
      if (person !== slowOne) begin(person)
    }
    await pause(1)
  }
  isOver = true
  await Promise.race([Promise.all(asking), pause(graceMs)])
  if (asking.size > 0) failures['never answered'] = asking.size
  return { trips: made, failures }
}

async function answer(asked: Asked): Promise<Answered> {
  if (asked.ask === 'talk') return { answer: 'talked', talked: await talk(asked.phones, asked.talk) }
  await meet(asked.phones, asked.people)
  return { answer: 'introduced' }
}

const tell = (answered: Answered) => process.send?.(answered)
process.on('disconnect', () => process.exit(0))
process.on('message', (asked: Asked) => {
  answer(asked).then(tell, (failure: unknown) => tell({ answer: 'failed', why: String(failure) }))
})
tell({ answer: 'listening', port: webhook.port })
