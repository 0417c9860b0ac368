/**
 * The limit of the web chat scenario: bare uWebSockets.js that echoes each frame and forwards each posted message. With
 * `--durable` it first writes a node's records of it with bare lmdb, synced.
 */

import uWS, { type HttpResponse, type WebSocket } from 'uWebSockets.js'
import { join } from 'node:path'
import { open } from 'lmdb'
import { serveCandidate } from '../../harness/rpc.js'
import type { RecordWrite } from '../messages/records.js'
import type { RecordKey } from '../store/keys.js'
import { ourSettings } from '../store/settings.js'
import { chatPath } from './fixtures.js'
import { inboundRecords, outboundRecords } from './records.js'
import { openCrowd } from './visitorclient.js'

interface SocketData {
  readonly name: string
}

const isAgentTalking = process.argv.includes('--agent')
const isDurable = process.argv.includes('--durable')
const path = join(process.env.BENCH_SCRATCH ?? '.', `limit-${process.pid}.mdb`)
const db = isDurable ? open<object, RecordKey>({ path, ...ourSettings }) : undefined
let savedCount = 0

/** Calls back once the records are durable; at once without storage. */
function afterSaving(recordsOf: (sequence: number, at: number) => readonly RecordWrite[], call: () => void): void {
  if (!db) return call()
  const written = db.batch(() => {
    for (const [key, value] of recordsOf(savedCount++, Date.now())) db.put(key, value!)
  })
  void written.then(() => db.flushed).then(call)
}

const sockets = new Map<string, WebSocket<SocketData>>()
const app = uWS.App()

app.ws<SocketData>('/*', {
  upgrade(res, req, context) {
    const name = req.getQuery('token') ?? ''
    const header = (of: string) => req.getHeader(of)
    const [key, protocol, extensions] = ['key', 'protocol', 'extensions'].map((of) => header(`sec-websocket-${of}`))
    res.upgrade<SocketData>({ name }, key!, protocol!, extensions!, context)
  },
  open(socket) {
    sockets.set(socket.getUserData().name, socket)
    socket.send('{"type":"caughtUp"}')
  },
  message(socket, text, isBinary) {
    if (!db) return void socket.send(text, isBinary)
    // uWS owns the frame after this call, and the socket may be closed by then.
    const [copy, { name }] = [text.slice(0), socket.getUserData()]
    afterSaving(inboundRecords, () => void sockets.get(name)?.send(copy, isBinary))
  },
  close: (socket) => void sockets.delete(socket.getUserData().name),
})

app.post('/*', (res) => {
  let aborted = false
  let body = Buffer.alloc(0)
  res.onAborted(() => {
    aborted = true
  })
  res.onData((chunk, last) => {
    // uWS owns the chunk after this call as well.
    body = Buffer.concat([body, Buffer.from(chunk)])
    if (last) afterSaving(outboundRecords, () => aborted || relay(res, body))
  })
})

function relay(res: HttpResponse, body: Buffer): void {
  const { userId, messages } = JSON.parse(body.toString())
  sockets.get(userId)?.send(JSON.stringify({ type: 'message', blocks: messages[0].parts }))
  res.cork(() => {
    res.writeHeader('content-type', 'application/json')
    res.end('{"results":[{"accepted":true}]}')
  })
}

app.listen('127.0.0.1', 0, (listening) => {
  if (!listening) throw new Error('uWebSockets.js could not listen')
  const target = { port: uWS.us_socket_local_port(listening), path: chatPath, hasTokens: false, agentToken: '-' }
  const names = async (count: number) => Array.from({ length: count }, (_, visitor) => String(visitor))
  const crowd = openCrowd({ target, ...(isAgentTalking && { people: names }) })
  serveCandidate({
    ready: {
      notes: [
        `Nothing is checked or rendered, and ${isDurable ? 'what a node keeps of a message' : 'nothing'} is kept.`,
      ],
    },
    work: crowd.work,
    async close() {
      crowd.end()
      uWS.us_listen_socket_close(listening)
      await db?.close()
    },
  })
})
