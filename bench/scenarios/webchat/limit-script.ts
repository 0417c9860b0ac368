/** As many bytes as the web chat script may have, from bare uWebSockets.js. */
import uWS from 'uWebSockets.js'
import { parseArgs } from 'node:util'
import { serveCandidate } from '../../harness/rpc.js'

const { values } = parseArgs({ options: { bytes: { type: 'string', default: '0' } } })
const bytes = Buffer.alloc(Number(values.bytes), ' ')
const app = uWS.App().get('/*', (res) => void res.end(bytes))

app.listen('127.0.0.1', 0, (listening) => {
  if (!listening) throw new Error('uWebSockets.js could not listen')
  serveCandidate({
    ready: {
      port: uWS.us_socket_local_port(listening),
      request: { method: 'GET', path: '/widget.js', headers: {}, body: '' },
    },
    close: () => uWS.us_listen_socket_close(listening),
  })
})
