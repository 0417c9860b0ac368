/** What the page tells of one message: the records of its own conversation, whatever else the agent is busy with. */

import t from 'tap'
import type { RecordRef } from '../../../core/conversation/history.js'
import type { Conversation } from '../../../core/conversation/state.js'
import { emulatorPage as limits } from '../../../core/limits/index.js'
import { conversationTable, logTable, messageTable, trafficTable } from '../../../runtime/conversation/tables.js'
import { type PhoneStatus, readMessage, readPhoneStatus, readUserRecords } from '../../../runtime/emulator/inspect.js'
import type { Key, Reader, Table } from '../../../runtime/store/contract.js'

const agentRef = { orgId: 'demo', agentId: 'desk' }
const asid = 'usr_a'

/** A conversation with that many records at one a second, the first of them a message of the agent. */
function createReader(records: number) {
  const rows = new Map<string, unknown>()
  const name = (table: { readonly name: string }, key: Key) => JSON.stringify([table.name, ...key])
  let gets = 0
  let previous: RecordRef | undefined
  for (let number = 1; number <= records; number++) {
    const isMessage = number <= 2
    rows.set(name(trafficTable, ['demo', 'desk', number * 1_000, asid, number]), {
      origin: isMessage ? 'agent' : 'user',
      type: number === 2 ? 'status' : 'content',
      sessionId: 's',
      messageId: isMessage ? 'msg_1' : `inb_${number}`,
      channel: 'sms',
      ...(previous && { previous }),
    })
    previous = [number * 1_000, number]
  }
  rows.set(name(conversationTable, [asid]), { history: { traffic: previous } } as Partial<Conversation>)
  rows.set(name(messageTable, [asid, 'msg_1']), { id: 'msg_1', at: 1_000, message: {}, states: {} })
  const reader: Reader = {
    get<K extends Key, V>(table: Table<K, V>, key: K) {
      gets++
      return rows.get(name(table, key)) as V | undefined
    },
    range() {
      throw new Error('what others wrote is not walked through')
    },
  }
  return { reader, gets: () => gets }
}

t.test('A message is shown with its own records, oldest first', async (t) => {
  const { reader } = createReader(5)
  const message = readMessage.read(reader, { ...agentRef, asid, name: 'msg_1' })
  t.match(message, {
    messageId: 'msg_1',
    records: [
      { at: 1_000, type: 'content' },
      { at: 2_000, type: 'status' },
    ],
  })
  t.notMatch(JSON.stringify(message), /previous|"channel"/)
  t.equal(readMessage.read(reader, { ...agentRef, asid, name: 'msg_2' }), null)
})

t.test('Only actions of a person within the given time are shown', async (t) => {
  const { reader } = createReader(9)
  const userRecords = readUserRecords.read(reader, { ...agentRef, asid, from: 2_000, until: 6_000 })
  t.match(userRecords, [{ at: 3_000 }, { at: 4_000 }, { at: 5_000 }])
  t.equal((userRecords as readonly unknown[]).length, 3)
})

t.test('A conversation of any length is read and shown within bounds', async (t) => {
  const { reader, gets } = createReader(limits.recordsFollowed + 100)
  const userRecords = readUserRecords.read(reader, { ...agentRef, asid, from: 0, until: Number.MAX_SAFE_INTEGER })
  t.equal((userRecords as readonly unknown[]).length, limits.recordsShown)
  t.equal(gets(), limits.recordsFollowed + 1)
})

t.test('A restarted emulator does not repeat messages that were refused or failed before', async (t) => {
  const rows = new Map<string, unknown>()
  const name = (table: { readonly name: string }, key: Key) => JSON.stringify([table.name, ...key])
  const agent = { orgId: 'demo', agentId: 'desk' }
  const refused = { level: 'warn', event: 'message.refused', data: { reason: 'optedOut' } }
  rows.set(name(logTable, ['demo', 'desk', 1_000, asid, 1]), refused)
  rows.set(name(logTable, ['demo', 'desk', 5_000, asid, 2]), { ...refused, previous: [1_000, 1] })
  rows.set(name(conversationTable, [asid]), { asid, agent, history: { last: [5_000, 2], log: [5_000, 2] } })
  const outgoing = [
    { id: 'msg_1', at: 1_000, message: {}, states: { queued: 1_000, failed: 2_000 } },
    { id: 'msg_2', at: 2_000, message: {}, states: { queued: 2_000, sent: 2_500 }, providerIds: ['p'] },
    { id: 'msg_3', at: 2_500, message: {}, states: { queued: 2_500, failed: 4_500 } },
  ]
  const reader: Reader = {
    get: <K extends Key, V>(table: Table<K, V>, key: K) => rows.get(name(table, key)) as V | undefined,
    *range(table) {
      if (table.name === messageTable.name) yield* outgoing.map((value) => ({ key: [asid, value.id], value }) as never)
    },
  }
  const statusFrom = (from: number) => {
    const { fares, refusals } = readPhoneStatus.read(reader, { asid, from }) as PhoneStatus
    return [fares.map(({ messageId }) => messageId), refusals.map(({ number }) => number)]
  }
  t.same(statusFrom(0), [
    ['msg_1', 'msg_2', 'msg_3'],
    [1, 2],
  ])
  t.same(statusFrom(4_000), [['msg_2', 'msg_3'], [2]], 'messages made while it runs, and the state of open ones')
})
