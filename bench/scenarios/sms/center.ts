/**
 * The message center of the sms scenario, in its own process: accepts every submit at once and counts it. It parses
 * only the fields it needs, so that it is faster than its clients; the scenario's limit shows that.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { encodePdu } from '../../../adapters/sms/smpp/codec.js'
import { addressOf, greeting } from '../messages/phones.js'
import { account, host } from './fixtures.js'
import type { CenterMessage, CenterRequest } from './rpc.js'

const headerBytes = 16
const commands = { submit: 0x04, deliverAnswer: 0x80000005, unbind: 0x06, enquire: 0x15 }
const binds = [0x01, 0x02, 0x09]
const answerBit = 0x80000000
/** Pending greetings. */
const greetingWindow = 200

let submits = 0
let lastAt = 0
let isBound = false
let boundSocket: Socket | undefined
let greeted = 0
let greet = () => {}

const sendMessage = (message: CenterMessage) => process.send?.(message)

const server = createServer({ noDelay: true }, (socket) => {
  let buffered: Buffer = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk])
    const answers: Buffer[] = []
    while (buffered.length >= 4 && buffered.length >= buffered.readUInt32BE(0)) {
      const length = Math.max(headerBytes, buffered.readUInt32BE(0))
      const answer = handleUnit(socket, buffered)
      if (answer) answers.push(answer)
      buffered = buffered.subarray(length)
    }
    if (answers.length > 0) socket.write(Buffer.concat(answers))
  })
})

function handleUnit(socket: Socket, unit: Buffer): Buffer | undefined {
  const command = unit.readUInt32BE(4)
  const sequence = unit.readUInt32BE(12)
  if (command === commands.submit) {
    submits += 1
    lastAt = performance.now()
    return answerTo(command, sequence, `${submits.toString(16)}\0`)
  }
  if (command === commands.deliverAnswer) {
    greeted += 1
    greet()
    return undefined
  }
  if (binds.includes(command)) {
    isBound = true
    boundSocket = socket
    return answerTo(command, sequence, 'center\0')
  }
  if (command === commands.unbind || command === commands.enquire) return answerTo(command, sequence)
  return undefined
}

function answerTo(command: number, sequence: number, body = ''): Buffer {
  const length = headerBytes + body.length
  const octets = Buffer.alloc(length)
  octets.writeUInt32BE(length, 0)
  octets.writeUInt32BE(answerBit + command, 4)
  octets.writeUInt32BE(sequence, 12)
  octets.write(body, headerBytes, 'latin1')
  return octets
}

/** Each person writes once, so that the agent knows them. */
function greetings(people: number): Promise<void> {
  return new Promise((resolve) => {
    let written = 0
    greet = () => {
      while (written < people && written - greeted < greetingWindow) boundSocket?.write(greetingOf(written++))
      if (greeted >= people) resolve()
    }
    greet()
  })
}

function greetingOf(person: number): Buffer {
  return encodePdu('deliver_sm', person + 1, {
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: addressOf(person).slice(1),
    destination_addr: account.from.slice(1),
    data_coding: 0,
    short_message: Buffer.from(greeting),
  })
}

process.on('disconnect', () => process.exit(0))
process.on('message', (request: CenterRequest) => {
  if (request.ask === 'greet') void greetings(request.people).then(() => sendMessage({ kind: 'greeted' }))
  else sendMessage({ kind: 'count', isBound, submits, quietMs: performance.now() - lastAt })
})
server.listen(0, host)
await once(server, 'listening')
sendMessage({ kind: 'listening', port: (server.address() as AddressInfo).port })
