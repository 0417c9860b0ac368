/** The limit of a read in the config scenario: uWebSockets.js answering as many bytes. */

import uWS from 'uWebSockets.js'
import { parseArgs } from 'node:util'
import { serveCandidate } from '../../harness/rpc.js'
import { documentOf } from './agent.js'
import { callNamed } from './calls.js'

const { values } = parseArgs({ options: { call: { type: 'string' } } })
const { path, answer } = callNamed(values.call)
if (!answer) throw new Error(`${values.call} is no read`)
const body = JSON.stringify(answer(documentOf(0.1)))
const app = uWS.App()

app.get('/*', (res) => {
  res.writeHeader('content-type', 'application/json')
  res.end(body)
})

app.listen('127.0.0.1', 0, (listening) => {
  if (!listening) throw new Error('uWebSockets.js could not listen')
  serveCandidate({
    ready: {
      port: uWS.us_socket_local_port(listening),
      request: { method: 'GET', path, headers: { authorization: 'Bearer a-token-that-nobody-reads' }, body: '' },
      notes: [`${Buffer.byteLength(body)} bytes an answer.`],
    },
    close: () => uWS.us_listen_socket_close(listening),
  })
})
