/**
 * Unknown outcomes at a provider without ids: it is asked where it can be, and otherwise given the message once more.
 */
import t from 'tap'
import type { Adapter, FindOutcome, SendOutcome } from '../../../core/channel/adapter.js'
import { createPieceSender } from '../../../runtime/delivery/redelivery.js'

const unknown: SendOutcome = { kind: 'refused', reason: 'sendFailed', retry: 'later', isUnknown: true }
const sent: SendOutcome = { kind: 'sent', providerId: 'p1' }

function adapterOf(outcome: SendOutcome, findOutcome?: FindOutcome | 'throws') {
  const calls: string[] = []
  const adapter = {
    send: async () => {
      calls.push('send')
      return outcome
    },
    ...(findOutcome && {
      find: async () => {
        calls.push('find')
        if (findOutcome === 'throws') throw new Error('a bug')
        return findOutcome
      },
    }),
  } as unknown as Adapter
  return { adapter, calls }
}

const doubt = { since: 1, isKnown: () => false }

t.test('Without a doubt a message is sent and not asked for', async (t) => {
  const { adapter, calls } = adapterOf(unknown, { kind: 'absent' })
  t.same(await createPieceSender(adapter, {}).send({}, {} as never), unknown)
  t.same(calls, ['send'])
})

t.test('A provider that has the message is not given it again', async (t) => {
  const { adapter, calls } = adapterOf(sent, { kind: 'found', providerId: 'p0' })
  t.same(await createPieceSender(adapter, doubt).send({}, {} as never), { kind: 'sent', providerId: 'p0' })
  t.same(calls, ['find'])
})

t.test('A provider that does not have it is given it, and asked for no piece behind it', async (t) => {
  const { adapter, calls } = adapterOf(sent, { kind: 'absent' })
  const pieces = createPieceSender(adapter, doubt)
  t.same(await pieces.send({}, {} as never), sent)
  t.same(await pieces.send({}, {} as never), sent)
  t.same(calls, ['find', 'send', 'send'])
})

t.test('While it cannot be told, nothing is sent', async (t) => {
  for (const findOutcome of ['throws', { kind: 'unknown', detail: 'No answer.' }] as const) {
    const { adapter, calls } = adapterOf(sent, findOutcome)
    t.match(await createPieceSender(adapter, doubt).send({}, {} as never), {
      kind: 'refused',
      retry: 'later',
      isUnknown: true,
    })
    t.same(calls, ['find'])
  }
})

t.test('A provider that cannot be asked is given a doubtful message for the last time', async (t) => {
  const { adapter, calls } = adapterOf(unknown)
  t.match(await createPieceSender(adapter, doubt).send({}, {} as never), { kind: 'refused', isUnknown: 'last' })
  t.same(calls, ['send'])
})
