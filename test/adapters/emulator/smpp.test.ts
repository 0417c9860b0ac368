/** The emulated message center, bound to with the client of the smpp package. */
import { once } from 'node:events'
import { createRequire } from 'node:module'
import t, { type Test } from 'tap'
import type { Account } from '../../../adapters/emulator/contract.js'
import { waitUntil } from '../../harness/clock.js'
import { type EmulatorHarness, openEmulatorHarness } from './emulatorharness.js'

const person = '15550100001'

interface Pdu {
  readonly command: string
  readonly command_status: number
  readonly message_id: string
  readonly source_addr: string
  readonly destination_addr: string
  readonly esm_class: number
  readonly receipted_message_id?: string
  readonly message_state?: number
  readonly short_message: { readonly udh?: readonly Buffer[]; readonly message: string }
  response(fields?: object): Pdu
}
interface Client {
  readonly socket: NodeJS.EventEmitter
  on(event: string, listener: (pdu: Pdu) => void): Client
  send(pdu: Pdu): void
  destroy(): void
  [command: string]: unknown
}
const smpp = createRequire(import.meta.url)('smpp') as { connect(options: object): Client }

interface Auth {
  readonly host: string
  readonly port: number
  readonly systemId: string
  readonly password: string
  readonly from: string
}
const authOf = (account: Account) => account.auth as unknown as Auth

const ask = (client: Client, command: string, fields: object = {}) =>
  new Promise<Pdu>((done) => (client[command] as (fields: object, response: (pdu: Pdu) => void) => void)(fields, done))

async function connectClient(t: Test, { host, port }: Auth) {
  const client = smpp.connect({ host, port })
  client.on('error', () => {})
  t.teardown(() => client.destroy())
  await once(client.socket, 'connect')
  return client
}

/** A customer that takes everything it is given, unless it is told otherwise. */
async function bindClient(t: Test, emulated: EmulatorHarness, answers: (nth: number) => number | undefined = () => 0) {
  const auth = authOf(emulated.account('smpp'))
  const client = await connectClient(t, auth)
  const delivered: Pdu[] = []
  client.on('deliver_sm', (pdu) => {
    delivered.push(pdu)
    const status = answers(delivered.length)
    if (status !== undefined) client.send(pdu.response({ command_status: status }))
  })
  const { systemId: system_id, password, from } = auth
  t.equal((await ask(client, 'bind_transceiver', { system_id, password })).command_status, 0)
  const submit = (fields: object = {}) =>
    ask(client, 'submit_sm', {
      source_addr: from,
      destination_addr: person,
      registered_delivery: 1,
      data_coding: 0,
      short_message: 'Hello',
      ...fields,
    })
  const waitForUnits = async (atLeast: number) => {
    await waitUntil(() => delivered.length >= atLeast)
    return delivered
  }
  return { auth, client, submit, waitForUnits, delivered }
}

t.test('A submit gets an id, and its receipt contains that id in its text and in a field', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { auth, client, submit, waitForUnits } = await bindClient(t, emulated)
  const { command_status, message_id: id } = await submit()
  t.equal(command_status, 0)
  t.match(id, /^[0-9a-f]{8}$/)
  t.match(emulated.emulator.sent(0), [{ address: person, providerId: id, body: { short_message: 'Hello' } }])
  const [receipt] = await waitForUnits(1)
  t.match(receipt, {
    source_addr: person,
    destination_addr: auth.from,
    esm_class: 4,
    receipted_message_id: id,
    message_state: 2,
  })
  const form = /^id:(\w+) sub:001 dlvrd:001 submit date:\d{10} done date:\d{10} stat:DELIVRD err:000 text:Hello$/
  t.equal(form.exec(receipt!.short_message.message)?.[1], id)
  t.equal((await ask(client, 'enquire_link')).command_status, 0)
  t.equal((await submit({ registered_delivery: 0 })).command_status, 0)
  t.equal((await ask(client, 'unbind')).command_status, 0)
})

t.test('A bind with a wrong name or password and a submit without a bind are refused', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const auth = authOf(emulated.account('smpp'))
  const { systemId: system_id, password } = auth
  const tries = [
    [{ system_id: 'nobody', password }, 0x0d],
    [{ system_id, password: 'wrong' }, 0x0e],
  ] as const
  for (const [fields, status] of tries) {
    const client = await connectClient(t, auth)
    t.equal((await ask(client, 'bind_transceiver', fields)).command_status, status)
  }
  const client = await connectClient(t, auth)
  t.equal((await ask(client, 'submit_sm', { destination_addr: person, short_message: 'a' })).command_status, 0x04)
  t.equal((await ask(client, 'bind_receiver', { system_id, password })).command_status, 0)
  t.equal((await ask(client, 'submit_sm', { destination_addr: person, short_message: 'a' })).command_status, 0x04)
})

t.test('A part that is too long or has an invalid sender or recipient is refused', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { submit } = await bindClient(t, emulated)
  const udh = Buffer.from([5, 0, 3, 1, 2, 1])
  const status = async (fields: object) => (await submit({ registered_delivery: 0, ...fields })).command_status
  t.equal(await status({ short_message: 'a'.repeat(160) }), 0)
  t.equal(await status({ short_message: 'a'.repeat(161) }), 0x01)
  t.equal(await status({ short_message: '[]'.repeat(40) }), 0)
  t.equal(await status({ short_message: '[]'.repeat(40).concat('a') }), 0x01, 'brackets take two septets')
  t.equal(await status({ short_message: { udh, message: 'a'.repeat(153) } }), 0)
  t.equal(await status({ short_message: { udh, message: 'a'.repeat(154) } }), 0x01)
  t.equal(await status({ data_coding: 8, short_message: '中'.repeat(70) }), 0)
  t.equal(await status({ data_coding: 8, short_message: '中'.repeat(71) }), 0x01)
  t.equal(await status({ data_coding: 8, short_message: { udh, message: '中'.repeat(67) } }), 0)
  t.equal(await status({ data_coding: 8, short_message: { udh, message: '中'.repeat(68) } }), 0x01)
  t.equal(await status({ short_message: '' }), 0x01)
  t.equal(await status({ short_message: '', message_payload: { message: 'a'.repeat(400) } }), 0)
  t.equal(await status({ source_addr: 'else' }), 0x0a)
  t.equal(await status({ destination_addr: 'me' }), 0x0b)
  t.equal(await status({ data_coding: 4, short_message: Buffer.from('a') }), 0x45)
})

t.test('A person’s text is delivered, in parts if it is long, and repeated until it is acknowledged', async (t) => {
  const emulated = await openEmulatorHarness(t, { timeScale: 1_000 })
  let fails = 1
  const { waitForUnits } = await bindClient(t, emulated, () => (fails-- > 0 ? 0x08 : 0))
  const { emulator } = emulated
  t.match(await emulator.act('smpp', `+${person}`, { kind: 'text', text: 'Hi' }), { kind: 'performed', taken: false })
  const [first, retried] = await waitForUnits(2)
  t.same([first!.short_message.message, retried!.short_message.message], ['Hi', 'Hi'])
  const long = `${'a'.repeat(152)}[${'b'.repeat(100)}`
  t.match(await emulator.act('smpp', person, { kind: 'text', text: long }), { calls: 2, taken: true })
  const parts = (await waitForUnits(4)).slice(2).map(({ short_message }) => short_message)
  t.equal(parts.map(({ message }) => message).join(''), long)
  t.equal(parts[0]!.message.length, 152, 'an escape is not divided')
  t.same(
    parts.map(({ udh }) => [...udh![0]!].slice(-2)),
    [
      [2, 1],
      [2, 2],
    ],
  )
  await emulator.act('smpp', person, { kind: 'text', text: 'Grüße 中' })
  t.equal((await waitForUnits(5))[4]!.short_message.message, 'Grüße 中')
  await emulator.act('smpp', person, { kind: 'stop' })
  t.equal((await waitForUnits(6))[5]!.short_message.message, 'STOP')
  t.match(await emulator.act('smpp', person, { kind: 'typing' }), { kind: 'impossible' })
})

t.test('Deliveries that failed while no client was bound arrive after the bind', async (t) => {
  const emulated = await openEmulatorHarness(t, { timeScale: 20 })
  emulated.account('smpp')
  t.match(await emulated.emulator.act('smpp', person, { kind: 'text', text: 'early' }), { taken: false })
  const { waitForUnits } = await bindClient(t, emulated)
  t.equal((await waitForUnits(1))[0]!.short_message.message, 'early')
})

t.test('Connection faults: throttled, failed, silent after acceptance, broken, ids in decimal', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const { client, submit, waitForUnits } = await bindClient(t, emulated)
  const fault = (
    kind: 'rateLimited' | 'serverError' | 'optedOut' | 'unreachable' | 'decimalReceiptIds' | 'noAnswer' | 'reset',
  ) => emulated.emulator.faults.add({ account: 'smpp', kind, times: 1 })
  fault('rateLimited')
  t.equal((await submit()).command_status, 0x58)
  fault('serverError')
  t.equal((await submit()).command_status, 0x08)
  fault('optedOut')
  t.equal((await submit()).command_status, 0x45)
  t.same(emulated.emulator.sent(0), [], 'none of them was accepted')
  fault('unreachable')
  await submit()
  t.match((await waitForUnits(1))[0], { message_state: 5, short_message: { message: /stat:UNDELIV/ } })
  fault('decimalReceiptIds')
  const { message_id: id } = await submit()
  t.equal((await waitForUnits(2))[1]!.receipted_message_id, String(Number.parseInt(id, 16)))
  fault('noAnswer')
  let isAnswered = false
  void submit().then(() => {
    isAnswered = true
  })
  await waitForUnits(3)
  t.notOk(isAnswered)
  t.equal(emulated.emulator.sent(0).length, 3, 'it was accepted all the same')
  fault('reset')
  const closed = new Promise((done) => client.socket.on('close', done))
  void submit()
  await closed
  t.equal(emulated.emulator.sent(0).length, 3)
})
