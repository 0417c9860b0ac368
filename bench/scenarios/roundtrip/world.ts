/** The process around a node in the roundtrip scenario: people who write at a steady rate, and the webhook. */
import { addressOf, greetAll, type Phones, sendTexts, sleep } from '../messages/phones.js'
import {
  itemOf,
  question,
  type RoundTrip,
  type Talk,
  type TalkResult,
  type WorldRequest,
  type WorldResponse,
} from './rpc.js'
import { openWebhook } from './webhook.js'

/** A thousand people who each write every ten seconds; with fewer people the total rate is the same. */
const everyMs = 10
/**
 * How long the slow person waits for an answer and rests after it; in a short window a part of that, so that both
 * occur.
 */
const slowMs = 2_000
const partOfWindow = 1 / 8
/** How long the last trips may take before they count as lost. */
const graceMs = 10_000

const webhook = await openWebhook()
let roundTrips = 0
/** Resolves when the slow person of the previous window has their last answer. */
let slowTalk = Promise.resolve()
/** Whether the slow webhook is working now. */
let isSlowOneWaiting = false

async function greetAllPeople(phones: Phones, people: number): Promise<void> {
  await greetAll(phones, people)
  while (webhook.greeted() < people) await sleep(10)
}

/** Resolves with the webhook's time. */
async function sendQuestion(phones: Phones, person: number, roundTrip: number): Promise<number> {
  const answered = webhook.waitForAnswer(roundTrip)
  await sendTexts(phones, [{ id: itemOf(roundTrip), from: addressOf(person), text: question(roundTrip) }])
  return answered
}

/** People write in turn at their rate whether answered or not, so a node that falls behind gets no relief. */
async function talk(phones: Phones, { seconds, people, hasSlowOne }: Talk): Promise<TalkResult> {
  const completed: RoundTrip[] = []
  const failures: Record<string, number> = {}
  const inFlight = new Set<Promise<void>>()
  const slowOne = hasSlowOne ? people - 1 : undefined
  let isOver = false

  const sendQuestionOnce = async (person: number) => {
    const roundTrip = ++roundTrips
    const isDuringSlow = isSlowOneWaiting
    try {
      completed.push({ roundTrip, webhookMs: await sendQuestion(phones, person, roundTrip), isDuringSlow })
    } catch (failure) {
      const why = String(failure)
      failures[why] = (failures[why] ?? 0) + 1
    }
  }
  const startRoundTrip = (person: number) => {
    const exchange = sendQuestionOnce(person).finally(() => inFlight.delete(exchange))
    inFlight.add(exchange)
  }
  const runSlowPerson = async (person: number) => {
    const ms = Math.min(slowMs, seconds * 1000 * partOfWindow)
    while (!isOver) {
      const roundTrip = ++roundTrips
      webhook.expectSlow(roundTrip, ms)
      isSlowOneWaiting = true
      await sendQuestion(phones, person, roundTrip)
      isSlowOneWaiting = false
      await sleep(ms)
    }
  }

  if (slowOne !== undefined) slowTalk = slowTalk.then(() => runSlowPerson(slowOne))
  const start = performance.now()
  let sentCount = 0
  for (let elapsedMs = 0; elapsedMs < seconds * 1000; elapsedMs = performance.now() - start) {
    for (; sentCount * everyMs <= elapsedMs; sentCount++) {
      const person = sentCount % people
      if (person !== slowOne) startRoundTrip(person)
    }
    await sleep(1)
  }
  isOver = true
  await Promise.race([Promise.all(inFlight), sleep(graceMs)])
  if (inFlight.size > 0) failures['never answered'] = inFlight.size
  return { roundTrips: completed, failures }
}

async function answer(exchange: WorldRequest): Promise<WorldResponse> {
  if (exchange.ask === 'talk') return { answer: 'talked', result: await talk(exchange.phones, exchange.talk) }
  await greetAllPeople(exchange.phones, exchange.people)
  return { answer: 'introduced' }
}

const sendResponse = (answered: WorldResponse) => process.send?.(answered)
process.on('disconnect', () => process.exit(0))
process.on('message', (exchange: WorldRequest) => {
  answer(exchange).then(sendResponse, (failure: unknown) => sendResponse({ answer: 'failed', why: String(failure) }))
})
sendResponse({ answer: 'listening', port: webhook.port })
