/** The limit of the http scenario: uWebSockets.js reads a body and writes it back. */
import uWS from 'uWebSockets.js'
import { serveCandidate } from '../../harness/rpc.js'
import { orderRequest } from './order.js'

const app = uWS.App()

app.post('/*', (res) => {
  let aborted = false
  let received: Buffer | undefined
  res.onAborted(() => {
    aborted = true
  })
  res.onData((chunk, last) => {
    // uWS owns the chunk after this call, so a stored chunk is a copy.
    const bytes = Buffer.from(chunk)
    if (!last) {
      received = Buffer.concat(received ? [received, bytes] : [bytes])
      return
    }
    if (aborted) return
    res.cork(() => {
      res.writeHeader('content-type', 'application/json')
      res.end(received ? Buffer.concat([received, bytes]) : bytes)
    })
  })
})

app.listen('127.0.0.1', 0, (listening) => {
  if (!listening) throw new Error('uWebSockets.js could not listen')
  serveCandidate({
    ready: {
      port: uWS.us_socket_local_port(listening),
      request: orderRequest('/v1/bench/orders', 'a-token-that-nobody-reads'),
    },
    close: () => uWS.us_listen_socket_close(listening),
  })
})
