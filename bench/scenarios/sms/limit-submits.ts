/** The limit of the sms scenario: submits to the message center over one bare connection, without HTTP. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { recipientOf, senderOf } from '../../../adapters/sms/smpp/address.js'
import { encodePdu } from '../../../adapters/sms/smpp/codec.js'
import { partsOf, submitFields } from '../../../adapters/sms/smpp/parts.js'
import { closedLoop } from '../../harness/loop.js'
import { serveCandidate } from '../../harness/rpc.js'
import { addressOf } from '../messages/phones.js'
import { account, host, messageText } from './fixtures.js'
import { startCenter } from './rpc.js'

const center = await startCenter()
const socket = connect({ host, port: center.port, noDelay: true })
await once(socket, 'connect')

const waiting = new Map<number, () => void>()
let unread: Buffer = Buffer.alloc(0)
socket.on('data', (chunk) => {
  unread = Buffer.concat([unread, chunk])
  while (unread.length >= 16 && unread.length >= unread.readUInt32BE(0)) {
    const sequence = unread.readUInt32BE(12)
    unread = unread.subarray(unread.readUInt32BE(0))
    waiting.get(sequence)?.()
    waiting.delete(sequence)
  }
})

function sendSubmit(octets: Buffer, sequence: number): Promise<void> {
  octets.writeUInt32BE(sequence, 12)
  socket.write(octets)
  return new Promise((resolve) => waiting.set(sequence, resolve))
}

const { systemId: system_id, password, from } = account
await sendSubmit(encodePdu('bind_transceiver', 0, { system_id, password, interface_version: 0x34 }), 0x7fffffff)
const [source, recipient] = [senderOf(from)!, recipientOf(addressOf(0))!]
const submit = encodePdu('submit_sm', 0, {
  source_addr_ton: source.ton,
  source_addr_npi: source.npi,
  source_addr: source.address,
  dest_addr_ton: recipient.ton,
  dest_addr_npi: recipient.npi,
  destination_addr: recipient.address,
  registered_delivery: 1,
  ...submitFields(partsOf(messageText, 0)[0]!),
})

serveCandidate({
  ready: { notes: [`One connection, a submit of ${submit.length} bytes made once, and as many under way as askers.`] },
  work: closedLoop((_worker, sequence) => sendSubmit(Buffer.from(submit), sequence + 1)),
  close() {
    socket.destroy()
    center.stop()
  },
})
