/** Commands that are told to other owners. */
import fc from 'fast-check'
import t from 'tap'
import { refuse } from '../../../core/errors.js'
import { shard as limits } from '../../../core/limits/index.js'
import { systemClock } from '../../../runtime/clock.js'
import { createLog } from '../../../runtime/observe/log.js'
import type { Command, EffectContext, ExecuteOptions, Query, Shards } from '../../../runtime/shard/contract.js'
import { createSendHandler, groupByBatch, mergeGroup, sendEffect } from '../../../runtime/shard/messages.js'
import { createRegistry } from '../../../runtime/shard/registry.js'
import { StoreFailed } from '../../../runtime/store/contract.js'

const { log } = createLog({ destination: { write: () => {} } })

const isIdle: Query<{ readonly idle: boolean }, boolean> = { name: 'idle', read: (_reader, { idle }) => idle }
const watched: Command<{ readonly idle: boolean }, true> = { name: 'told', decide: () => true, skipIf: isIdle }

function telling(isHere: boolean, told: Command<{ readonly idle: boolean }, true> = watched) {
  const asked: unknown[] = []
  const ids: unknown[] = []
  const shards = {
    async execute(_owner: string, _command: unknown, input: unknown, { id }: ExecuteOptions) {
      asked.push(input)
      ids.push(id)
    },
    queryLocal: (_owner: string, query: typeof isIdle, input: { idle: boolean }) =>
      isHere ? query.read(undefined as never, input) : undefined,
  } as unknown as Shards
  const registry = createRegistry({ commands: [told], queries: [isIdle] } as never)
  const perform = createSendHandler({ shards, registry, clock: systemClock, log })
  const tell = (input: { idle: boolean }) =>
    perform(sendEffect('org', told.name, input).payload as never, { id: 'one' } as EffectContext)
  return { asked, ids, tell }
}

t.test('What would change nothing is not told to an owner that is served here, and anything else is', async (t) => {
  const { asked, tell } = telling(true)
  await tell({ idle: true })
  t.same(asked, [])
  await tell({ idle: false })
  t.same(asked, [{ idle: false }])
})

t.test('Who is served elsewhere is told whatever there is, and decides it there', async (t) => {
  const { asked, tell } = telling(false)
  await tell({ idle: true })
  t.same(asked, [{ idle: true }])
})

t.test('What is told is remembered under the id of its effect, unless it may be decided twice', async (t) => {
  const once = telling(true)
  await once.tell({ idle: false })
  t.same(once.ids, ['one'])
  const often = telling(true, { ...watched, idempotent: true })
  await often.tell({ idle: false })
  t.same(often.ids, [undefined])
})

interface Said {
  readonly of: string
}

/** An owner who takes what comes one by one, unless it is said otherwise. */
function gathering(answers: { readonly together?: () => unknown; readonly alone?: (said: Said) => unknown } = {}) {
  const asked: unknown[] = []
  const together: Command<readonly Said[], unknown> = { name: 'heard together', decide: () => true }
  const heard: Command<Said, true> = { name: 'heard', decide: () => true, idempotent: true, batch: together }
  const shards = {
    async execute(owner: string, { name }: { name: string }, input: never) {
      asked.push([owner, input])
      return name === heard.name ? answers.alone?.(input) : answers.together?.()
    },
  } as unknown as Shards
  const registry = createRegistry({ commands: [heard, together], queries: [] } as never)
  const perform = createSendHandler({ shards, registry, clock: systemClock, log })
  const tell = (owner: string, of: string) =>
    perform(sendEffect(owner, heard.name, { of }).payload as never, { id: of } as EffectContext)
  return { asked, perform, tell }
}

t.test('What comes in numbers is told together: of one owner, of one turn, in its order', async (t) => {
  const { asked, tell } = gathering()
  await Promise.all([tell('org', 'a'), tell('other', 'b'), tell('org', 'c')])
  await tell('org', 'd')
  t.same(asked, [
    ['org', [{ of: 'a' }, { of: 'c' }]],
    ['other', { of: 'b' }],
    ['org', { of: 'd' }],
  ])
})

t.test('No more are told together than may be', async (t) => {
  const { asked, tell } = gathering()
  const count = limits.messagesPerBatch + 2
  await Promise.all(Array.from({ length: count }, (_, nth) => tell('org', String(nth))))
  t.same(
    asked.map((each) => (each as [string, unknown[]])[1].length),
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
      const groups = groupByBatch(all)
      const perOwner = ['org', 'other'].map((one) => owners.filter((owner) => owner === one).length)
      t.equal(
        groups.length,
        perOwner.reduce((sum, count) => sum + Math.ceil(count / limits.messagesPerBatch), 0),
      )
      const told = groups.flatMap((group) => {
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
        t.same(told.filter(ofOne), [...owners.keys()].filter(ofOne))
      }
    }),
    { numRuns: 50 },
  )
})

t.test('What was owed as one is told as one, with others, in parts that may be', async (t) => {
  const { asked, perform, tell } = gathering()
  const many = (from: number, count: number) => Array.from({ length: count }, (_, nth) => ({ of: `${from + nth}` }))
  const asOne = (inputs: readonly Said[]) =>
    perform(sendEffect('org', 'heard together', inputs).payload as never, { id: 'x' } as EffectContext)
  await Promise.all([asOne(many(0, 40)), tell('org', '40'), asOne(many(41, 30)), asOne(many(71, 2))])
  t.same(asked, [
    ['org', many(0, 41)],
    ['org', many(41, 32)],
  ])
  asked.length = 0
  await asOne(many(0, 1))
  t.same(asked, [['org', { of: '0' }]])
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
    const alone = ({ of }: Said) => (of === 'b' ? unavailable : true)
    const { asked, tell } = gathering({ together, alone })
    const told = await Promise.allSettled(['a', 'b', 'c'].map((of) => tell('org', of)))
    t.same(
      told.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    t.equal(asked.length, 4)
  }
})
