/** How the page finds the turn of a message. */
import t from 'tap'
import { emulatorPage as limits } from '../../../core/limits/index.js'
import { createInboundTurnQuery, createTurnQuery, type TurnsOf } from '../../../runtime/emulator/turns.js'
import type { Reader } from '../../../runtime/store/contract.js'
import { turnRecord } from '../../harness/turnrecord.js'

const reader = {} as Reader
const ref = { orgId: 'demo', agentId: 'clinic', asid: 'usr_1' }

t.test('A turn is found by any of its messages, and a message of no turn has none', async (t) => {
  const asked: unknown[] = []
  const turnsOf: TurnsOf = (...input) => {
    asked.push(input)
    return [turnRecord({ id: 'trn_2', messages: ['msg_3'] }), turnRecord()]
  }
  const query = createTurnQuery(turnsOf)
  for (const messageId of ['msg_1', 'msg_2']) t.match(query.read(reader, { ...ref, messageId }), { id: 'trn_1' })
  t.match(query.read(reader, { ...ref, messageId: 'msg_3' }), { id: 'trn_2' })
  t.equal(query.read(reader, { ...ref, messageId: 'msg_4' }), null)
  const agentRef = { orgId: 'demo', agentId: 'clinic' }
  t.same(asked[0], [reader, agentRef, 'usr_1', limits.turnsFollowed])
})

t.test('Turns older than that of the message are not read', async (t) => {
  let read = 0
  function* turnsOf() {
    for (const id of ['msg_3', 'msg_2', 'msg_1']) {
      read++
      yield turnRecord({ messages: [id] })
    }
  }
  createTurnQuery(turnsOf).read(reader, { ...ref, messageId: 'msg_2' })
  t.equal(read, 2)
})

t.test('What a person did is shown with the turn that took it, and what began none with no turn', async (t) => {
  const turn = (id: string, cameAt: number, startedAt: number) =>
    turnRecord({ id, startedAt, took: { ...turnRecord().took, waiting: startedAt - cameAt } })
  // The second waited while the first, which took what came at 100 and 110, was planned.
  const query = createInboundTurnQuery(() => [
    turn('trn_3', 500, 505),
    turn('trn_2', 115, 300),
    turn('trn_1', 100, 120),
  ])
  const idAt = (at: number) => query.read(reader, { ...ref, at })
  for (const [at, id] of [
    [100, 'trn_1'],
    [110, 'trn_1'],
    [115, 'trn_2'],
    [500, 'trn_3'],
  ] as const) {
    t.match(idAt(at), { id })
  }
  for (const at of [99, 301, 506]) t.equal(idAt(at), null)
})
