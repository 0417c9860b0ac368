/** The peer of the journey scenario: Fastify with the same schema, and BullMQ adding the body to a queue on Redis. */
import type { AddressInfo } from 'node:net'
import { Queue } from 'bullmq'
import fastify from 'fastify'
import { JourneySendBody } from '../../../mgmt/journey/schema.js'
import { TestRedis } from '../../../test/harness/redis.js'
import { serveCandidate } from '../../harness/rpc.js'
import { journeyCalls } from './calls.js'
import type { JourneyBody } from './records.js'

// Its storage is in the bench's scratch folder, which is removed however the run ends.
if (process.env.BENCH_SCRATCH) process.env.TMPDIR = process.env.BENCH_SCRATCH
const redis = await TestRedis.start()
const queue = new Queue<JourneyBody>('journey', { connection: { host: '127.0.0.1', port: redis.port } })
const app = fastify({ ajv: { customOptions: { removeAdditional: false, coerceTypes: false, strict: false } } })

/** BullMQ does not add a second job under one id: the step of the journey is the id. */
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
