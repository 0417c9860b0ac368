/** Commands that are told to other owners. */
import fc from 'fast-check'
import t from 'tap'
import { refuse } from '../../../core/errors.js'
import { systemClock } from '../../../runtime/clock.js'
import { createLog } from '../../../runtime/observe/log.js'
import type { Command, EffectContext, ExecuteOptions, Query, Shards } from '../../../runtime/shard/contract.js'
import { shard as limits } from '../../../runtime/shard/limits.js'
import { createSendHandler, groupByBatch, mergeGroup, sendEffect } from '../../../runtime/shard/messages.js'
import { createRegistry } from '../../../runtime/shard/registry.js'
import { StoreFailed } from '../../../runtime/store/contract.js'

const { log } = createLog({ destination: { write: () => {} } })

const isIdle: Query<{ readonly idle: boolean }, boolean> = { name: 'idle', read: (_reader, { idle }) => idle }
const watched: Command<{ readonly idle: boolean }, true> = { name: 'told', decide: () => true, skipIf: isIdle }

function createSender(isHere: boolean, command: Command<{ readonly idle: boolean }, true> = watched) {
  const executed: unknown[] = []
  const ids: unknown[] = []
  const shards = {
    async execute(_owner: string, _command: unknown, input: unknown, { id }: ExecuteOptions) {
      executed.push(input)
      ids.push(id)
    },
    queryLocal: (_owner: string, query: typeof isIdle, input: { idle: boolean }) =>
      isHere ? query.read(undefined as never, input) : undefined,
  } as unknown as Shards
  const registry = createRegistry({ commands: [command], queries: [isIdle] } as never)
  const handleEffect = createSendHandler({ shards, registry, clock: systemClock, log, limits })
  const send = (input: { idle: boolean }) =>
    handleEffect(sendEffect('org', command.name, input).payload as never, { id: 'one' } as EffectContext)
  return { executed, ids, send }
}

t.test('What would change nothing is not told to an owner that is served here, and anything else is', async (t) => {
  const { executed, send } = createSender(true)
  await send({ idle: true })
  t.same(executed, [])
  await send({ idle: false })
  t.same(executed, [{ idle: false }])
})

t.test('Who is served elsewhere is told whatever there is, and decides it there', async (t) => {
  const { executed, send } = createSender(false)
  await send({ idle: true })
  t.same(executed, [{ idle: true }])
})

t.test('What is told is remembered under the id of its effect, unless it may be decided twice', async (t) => {
  const once = createSender(true)
  await once.send({ idle: false })
  t.same(once.ids, ['one'])
  const often = createSender(true, { ...watched, idempotent: true })
  await often.send({ idle: false })
  t.same(often.ids, [undefined])
})

interface Message {
  readonly of: string
}

/** An owner who takes what comes one by one, unless it is said otherwise. */
function createBatchSender(
  answers: { readonly receiveBatch?: () => unknown; readonly alone?: (message: Message) => unknown } = {},
) {
  const executed: unknown[] = []
  const receiveBatch: Command<readonly Message[], unknown> = { name: 'heard together', decide: () => true }
  const receive: Command<Message, true> = { name: 'heard', decide: () => true, idempotent: true, batch: receiveBatch }
  const shards = {
    async execute(owner: string, { name }: { name: string }, input: never) {
      executed.push([owner, input])
      return name === receive.name ? answers.alone?.(input) : answers.receiveBatch?.()
    },
  } as unknown as Shards
  const registry = createRegistry({ commands: [receive, receiveBatch], queries: [] } as never)
  const handleEffect = createSendHandler({ shards, registry, clock: systemClock, log, limits })
  const send = (owner: string, of: string) =>
    handleEffect(sendEffect(owner, receive.name, { of }).payload as never, { id: of } as EffectContext)
  return { executed, handleEffect, send }
}

t.test('What comes in numbers is told together: of one owner, of one turn, in its order', async (t) => {
  const { executed, send } = createBatchSender()
  await Promise.all([send('org', 'a'), send('other', 'b'), send('org', 'c')])
  await send('org', 'd')
  t.same(executed, [
    ['org', [{ of: 'a' }, { of: 'c' }]],
    ['other', { of: 'b' }],
    ['org', { of: 'd' }],
  ])
})

t.test('No more are told together than may be', async (t) => {
  const { executed, send } = createBatchSender()
  const count = limits.messagesPerBatch + 2
  await Promise.all(Array.from({ length: count }, (_, nth) => send('org', String(nth))))
  t.same(
    executed.map((each) => (each as [string, unknown[]])[1].length),
    [limits.messagesPerBatch, 2],
  )
})

t.test('What one commit tells an owner is one effect, and the rest of it in its order', async (t) => {
  const effect = (owner: string, input: unknown) => {
    const { kind, payload } = sendEffect(owner, 'heard', input)
    return { kind, payload, owner: 'teller', id: `teller:x:${input}`, at: 1 }
  }
  await fc.assert(
    fc.property(fc.array(fc.constantFrom('org', 'other'), { maxLength: 3 * limits.messagesPerBatch }), (owners) => {
      const all = owners.map((owner, nth) => ({
        lane: owner,
        effect: effect(owner, nth),
        batchCommand: 'heard together',
      }))
      const groups = groupByBatch(all, limits.messagesPerBatch)
      const perOwner = ['org', 'other'].map((one) => owners.filter((owner) => owner === one).length)
      t.equal(
        groups.length,
        perOwner.reduce((sum, count) => sum + Math.ceil(count / limits.messagesPerBatch), 0),
      )
      const results = groups.flatMap((group) => {
        const { payload, id } = mergeGroup(group) as {
          payload: { command: string; input: number | number[] }
          id: string
        }
        t.equal(id, group[0]!.effect.id)
        t.equal(payload.command, group.length === 1 ? 'heard' : 'heard together')
        return group.length === 1 ? [payload.input as number] : (payload.input as number[])
      })
      for (const one of ['org', 'other']) {
        const ofOne = (nth: number) => owners[nth] === one
        t.same(results.filter(ofOne), [...owners.keys()].filter(ofOne))
      }
    }),
    { numRuns: 50 },
  )
})

t.test('What was owed as one is told as one, with others, in parts that may be', async (t) => {
  const { executed, handleEffect, send } = createBatchSender()
  const many = (from: number, count: number) => Array.from({ length: count }, (_, nth) => ({ of: `${from + nth}` }))
  const asOne = (inputs: readonly Message[]) =>
    handleEffect(sendEffect('org', 'heard together', inputs).payload as never, { id: 'x' } as EffectContext)
  await Promise.all([asOne(many(0, 40)), send('org', '40'), asOne(many(41, 30)), asOne(many(71, 2))])
  t.same(executed, [
    ['org', many(0, 41)],
    ['org', many(41, 32)],
  ])
  executed.length = 0
  await asOne(many(0, 1))
  t.same(executed, [['org', { of: '0' }]])
})

t.test('Where several are not taken together, each is told by itself and fails for itself', async (t) => {
  const unavailable = refuse('service.unavailable')
  const ways = [
    () => unavailable,
    () => {
      throw new Error('one of them is odd')
    },
    () => {
      throw new StoreFailed('the disk is full')
    },
  ]
  for (const together of ways) {
    const alone = ({ of }: Message) => (of === 'b' ? unavailable : true)
    const { executed, send } = createBatchSender({ receiveBatch: together, alone })
    const results = await Promise.allSettled(['a', 'b', 'c'].map((of) => send('org', of)))
    t.same(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    t.equal(executed.length, 4)
  }
})
