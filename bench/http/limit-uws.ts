/** The limit of the http scenario: uWebSockets.js reading a body and writing it back, with nothing in between. */
import uWS from 'uWebSockets.js'
import { present } from '../control.js'
import { orderRequest } from './order.js'

const app = uWS.App()

app.post('/*', (res) => {
  let aborted = false
  let kept: Buffer | undefined
  res.onAborted(() => {
    aborted = true
  })
  res.onData((chunk, last) => {
    // The chunk is only lent for this call, so what is kept is a copy.
    const bytes = Buffer.from(chunk)
    if (!last) {
      kept = Buffer.concat(kept ? [kept, bytes] : [bytes])
      return
    }
    if (aborted) return
    res.cork(() => {
      res.writeHeader('content-type', 'application/json')
      res.end(kept ? Buffer.concat([kept, bytes]) : bytes)
    })
  })
})

app.listen('127.0.0.1', 0, (listening) => {
  if (!listening) throw new Error('uWebSockets.js could not listen')
  present({
    ready: {
      port: uWS.us_socket_local_port(listening),
      request: orderRequest('/v1/bench/orders', 'a-token-that-nobody-reads'),
    },
    close: () => uWS.us_listen_socket_close(listening),
  })
})
