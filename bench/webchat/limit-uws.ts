/**
 * The limit of the web chat scenario: bare uWebSockets.js that says each frame back, and passes on what it is posted. With
 * `--durable` the records that a node writes for it are in bare lmdb, and on the disk, before that.
 */

import uWS, { type HttpResponse, type WebSocket } from 'uWebSockets.js'
import { join } from 'node:path'
import { open } from 'lmdb'
import { present } from '../control.js'
import type { Wrote } from '../messages/records.js'
import type { RecordKey } from '../store/keys.js'
import { ourSettings } from '../store/settings.js'
import { openCrowd } from './crowded.js'
import { heardRecords, takenRecords } from './records.js'
import { chatPath } from './setting.js'

interface Known {
  readonly name: string
}

const isAgentTalking = process.argv.includes('--agent')
const isDurable = process.argv.includes('--durable')
const path = join(process.env.BENCH_SCRATCH ?? '.', `limit-${process.pid}.mdb`)
const db = isDurable ? open<object, RecordKey>({ path, ...ourSettings }) : undefined
let kept = 0

/** Calls at once where nothing is kept. */
function afterKeeping(recordsOf: (serial: number, at: number) => readonly Wrote[], call: () => void): void {
  if (!db) return call()
  const written = db.batch(() => {
    for (const [key, value] of recordsOf(kept++, Date.now())) db.put(key, value!)
  })
  void written.then(() => db.flushed).then(call)
}

const sockets = new Map<string, WebSocket<Known>>()
const app = uWS.App()

app.ws<Known>('/*', {
  upgrade(res, req, context) {
    const name = req.getQuery('token') ?? ''
    const header = (of: string) => req.getHeader(of)
    const [key, protocol, extensions] = ['key', 'protocol', 'extensions'].map((of) => header(`sec-websocket-${of}`))
    res.upgrade<Known>({ name }, key!, protocol!, extensions!, context)
  },
  open(socket) {
    sockets.set(socket.getUserData().name, socket)
    socket.send('{"type":"caughtUp"}')
  },
  message(socket, text, isBinary) {
    if (!db) return void socket.send(text, isBinary)
    // The frame is only lent for this call, and its page may be gone by then.
    const [copy, { name }] = [text.slice(0), socket.getUserData()]
    afterKeeping(heardRecords, () => void sockets.get(name)?.send(copy, isBinary))
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
    // The chunk is lent as well.
    body = Buffer.concat([body, Buffer.from(chunk)])
    if (last) afterKeeping(takenRecords, () => aborted || passOn(res, body))
  })
})

function passOn(res: HttpResponse, body: Buffer): void {
  const { userId, messages } = JSON.parse(body.toString())
  sockets.get(userId)?.send(JSON.stringify({ type: 'message', blocks: messages[0].parts }))
  res.cork(() => {
    res.writeHeader('content-type', 'application/json')
    res.end('{"results":[{"accepted":true}]}')
  })
}

app.listen('127.0.0.1', 0, (listening) => {
  if (!listening) throw new Error('uWebSockets.js could not listen')
  const place = { port: uWS.us_socket_local_port(listening), path: chatPath, hasTokens: false, agentToken: '-' }
  const names = async (count: number) => Array.from({ length: count }, (_, visitor) => String(visitor))
  const crowd = openCrowd({ place, ...(isAgentTalking && { people: names }) })
  present({
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
