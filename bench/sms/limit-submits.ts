/** The limit of the sms scenario: submits to the message center over one bare connection, which nobody asked for over HTTP. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { recipientOf, senderOf } from '../../adapters/sms/smpp/address.js'
import { unitOctets } from '../../adapters/sms/smpp/library.js'
import { carrying, partsOf } from '../../adapters/sms/smpp/parts.js'
import { present } from '../control.js'
import { closedLoop } from '../loop.js'
import { addressOf } from '../messages/phones.js'
import { startCenter } from './asking.js'
import { account, host, messageText } from './setting.js'

const center = await startCenter()
const socket = connect({ host, port: center.port, noDelay: true })
await once(socket, 'connect')

const waiting = new Map<number, () => void>()
let rest: Buffer = Buffer.alloc(0)
socket.on('data', (chunk) => {
  rest = Buffer.concat([rest, chunk])
  while (rest.length >= 16 && rest.length >= rest.readUInt32BE(0)) {
    const sequence = rest.readUInt32BE(12)
    rest = rest.subarray(rest.readUInt32BE(0))
    waiting.get(sequence)?.()
    waiting.delete(sequence)
  }
})

function ask(octets: Buffer, sequence: number): Promise<void> {
  octets.writeUInt32BE(sequence, 12)
  socket.write(octets)
  return new Promise((resolve) => waiting.set(sequence, resolve))
}

const { systemId: system_id, password, from } = account
await ask(unitOctets('bind_transceiver', 0, { system_id, password, interface_version: 0x34 }), 0x7fffffff)
const [source, recipient] = [senderOf(from)!, recipientOf(addressOf(0))!]
const submit = unitOctets('submit_sm', 0, {
  source_addr_ton: source.ton,
  source_addr_npi: source.npi,
  source_addr: source.address,
  dest_addr_ton: recipient.ton,
  dest_addr_npi: recipient.npi,
  destination_addr: recipient.address,
  registered_delivery: 1,
  ...carrying(partsOf(messageText, 0)[0]!),
})

present({
  ready: { notes: [`One connection, a submit of ${submit.length} bytes made once, and as many under way as askers.`] },
  work: closedLoop((_asker, serial) => ask(Buffer.from(submit), serial + 1)),
  close() {
    socket.destroy()
    center.stop()
  },
})
