/** The limit of the journey scenario: bare uWebSockets.js, ajv and lmdb in one process, writing a node's records. */

import uWS from 'uWebSockets.js'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { open } from 'lmdb'
import { JourneySendBody } from '../../../mgmt/journey/schema.js'
import { serveCandidate } from '../../harness/rpc.js'
import { ourSettings } from '../store/settings.js'
import { journeyCalls } from './calls.js'
import { answerTo, example, type JourneyBody, recordsOf } from './records.js'

const path = join(process.env.BENCH_SCRATCH ?? '.', `limit-${process.pid}.mdb`)
const db = open<object | string | true, (string | number)[]>({ path, ...ourSettings })
// TypeBox marks its schemas with members of its own that are not JSON Schema.
const isValid = new Ajv({ strict: false }).compile<JourneyBody>(JSON.parse(JSON.stringify(JourneySendBody)))
const app = uWS.App()
let sequence = 0

async function putDurably(body: JourneyBody): Promise<string> {
  const number = sequence++
  await db.batch(() => {
    for (const [key, value] of recordsOf(body, number, Date.now())) db.put(key, value)
  })
  await db.flushed
  return answerTo(number)
}

app.post('/*', (res) => {
  let aborted = false
  let received: Buffer | undefined
  res.onAborted(() => {
    aborted = true
  })
  res.onData(async (chunk, last) => {
    // uWS owns the chunk after this call, so a stored chunk is a copy.
    const bytes = Buffer.from(chunk)
    received = received ? Buffer.concat([received, bytes]) : bytes
    if (!last) return
    const body: unknown = JSON.parse(received.toString())
    const answer = isValid(body) ? await putDurably(body) : undefined
    if (aborted) return
    res.cork(() => {
      if (answer === undefined) res.writeStatus('400')
      res.writeHeader('content-type', 'application/json')
      res.end(answer ?? JSON.stringify(isValid.errors))
    })
  })
})

const records = recordsOf(example, 0, Date.now())
const bytes = records.reduce((sum, [, value]) => sum + JSON.stringify(value).length, 0)

app.listen('127.0.0.1', 0, (listening) => {
  if (!listening) throw new Error('uWebSockets.js could not listen')
  serveCandidate({
    ready: {
      port: uWS.us_socket_local_port(listening),
      request: journeyCalls({ path: '/sends', keys: [] }),
      notes: [
        `${records.length} puts for a call (${bytes} bytes as JSON, beside their keys), durable before its answer: counted by`,
        'comparing the rows of a node’s file before one acceptance and after it, which a test does again. No token is',
        `checked, nothing is read and nothing is decided. Settings: ${JSON.stringify(ourSettings)}.`,
      ],
    },
    async close() {
      uWS.us_listen_socket_close(listening)
      await db.close()
    },
  })
})
