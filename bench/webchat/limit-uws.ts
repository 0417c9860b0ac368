/** The limit of the web chat scenario: bare uWebSockets.js that says each frame back, and passes on what it is posted. */
import uWS, { type WebSocket } from 'uWebSockets.js'
import { present } from '../control.js'
import { openCrowd } from './crowded.js'
import { chatPath } from './setting.js'

interface Known {
  readonly name: string
}

const isAgentTalking = process.argv.includes('--agent')
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
  message: (socket, text, isBinary) => void socket.send(text, isBinary),
  close: (socket) => void sockets.delete(socket.getUserData().name),
})

app.post('/*', (res) => {
  let aborted = false
  let kept = Buffer.alloc(0)
  res.onAborted(() => {
    aborted = true
  })
  res.onData((chunk, last) => {
    // The chunk is only lent for this call, so what is kept is a copy.
    kept = Buffer.concat([kept, Buffer.from(chunk)])
    if (!last || aborted) return
    const { userId, messages } = JSON.parse(kept.toString())
    sockets.get(userId)?.send(JSON.stringify({ type: 'message', blocks: messages[0].parts }))
    res.cork(() => {
      res.writeHeader('content-type', 'application/json')
      res.end('{"results":[{"accepted":true}]}')
    })
  })
})

app.listen('127.0.0.1', 0, (listening) => {
  if (!listening) throw new Error('uWebSockets.js could not listen')
  const place = { port: uWS.us_socket_local_port(listening), path: chatPath, hasTokens: false, agentToken: '-' }
  const names = async (count: number) => Array.from({ length: count }, (_, visitor) => String(visitor))
  const crowd = openCrowd({ place, ...(isAgentTalking && { people: names }) })
  present({
    ready: { notes: ['Nothing is kept, checked or rendered.'] },
    work: crowd.work,
    close() {
      crowd.end()
      uWS.us_listen_socket_close(listening)
    },
  })
})
