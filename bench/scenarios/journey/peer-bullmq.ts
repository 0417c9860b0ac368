/** The peer of the journey scenario: Fastify with the same schema, and BullMQ putting the body into a queue on Redis. */
import type { AddressInfo } from 'node:net'
import { Queue } from 'bullmq'
import fastify from 'fastify'
import { JourneySendBody } from '../../../mgmt/journey/schema.js'
import { TestRedis } from '../../../test/harness/redis.js'
import { serveCandidate } from '../../harness/rpc.js'
import { journeyCalls } from './calls.js'
import type { JourneyBody } from './records.js'

// What it keeps goes where the bench cleans up, whatever ends it.
if (process.env.BENCH_SCRATCH) process.env.TMPDIR = process.env.BENCH_SCRATCH
const redis = await TestRedis.start()
const queue = new Queue<JourneyBody>('journey', { connection: { host: '127.0.0.1', port: redis.port } })
const app = fastify({ ajv: { customOptions: { removeAdditional: false, coerceTypes: false, strict: false } } })

/** A job of an id that is there already is not added again: the step of the journey makes it the same. */
const jobIdOf = ({ journey }: JourneyBody) => `${journey.versionId}.${journey.nodeId}.${journey.instanceId}`

app.post<{ Body: JourneyBody }>(
  '/sends',
  { schema: { body: JSON.parse(JSON.stringify(JourneySendBody)) } },
  async ({ body }) => {
    const { id = '' } = await queue.add('send', body, { jobId: jobIdOf(body) })
    return {
      ...{ outcome: 'queued', reason: '', detail: '', sendId: id, personId: '' },
      ...{ unknownInputs: [], idempotency: 'journey' },
    }
  },
)

await app.listen({ host: '127.0.0.1', port: 0 })
serveCandidate({
  ready: {
    port: (app.server.address() as AddressInfo).port,
    request: journeyCalls({ path: '/sends', keys: [] }),
    notes: [
      'It only puts the body into a queue, under the id of its step: no token, no person, no consent, no status. Its Redis',
      'is a process of its own, has a core of its own, and keeps nothing on the disk.',
    ],
  },
  async close() {
    await app.close()
    await queue.close()
    await redis.stop()
  },
})
