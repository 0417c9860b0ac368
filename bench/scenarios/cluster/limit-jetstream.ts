/**
 * The limit of the cluster scenario: messages as large as the engine's log entries, published to JetStream and
 * acknowledged.
 */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { closedLoop } from '../../harness/loop.js'
import { serveCandidate } from '../../harness/rpc.js'
import type { Sample, Window } from '../../harness/sample.js'
import { shards } from '../store/settings.js'
import { entryOf } from './entry.js'
import { alone, scaleWindow } from './fixtures.js'
import { startNats } from './server.js'

const servers = await startNats(alone)
const connection = await connect({ servers: [...servers.urls], noAsyncTraces: true })
const manager = await jetstreamManager(connection)
const subjectOf = (shard: number) => `limit.${shard}`
for (let shard = 0; shard < shards; shard++) {
  const stream = { name: `limit_${shard}`, subjects: [subjectOf(shard)], storage: 'file', num_replicas: servers.copies }
  await manager.streams.add(stream as Parameters<typeof manager.streams.add>[0])
}
const streams = jetstream(connection)

/** One pending message per shard, with its share of the concurrent commands. */
async function work(window: Window): Promise<Sample> {
  const { concurrency } = scaleWindow(window)
  const publishers = Math.min(shards, concurrency)
  const commands = Math.round(concurrency / publishers)
  const entry = entryOf(commands)
  let published = 0
  const publish = async (publisher: number) => {
    await streams.publish(subjectOf(publisher), entry)
    published++
  }
  const counts = () => ({ transactions: published, bytes: published * entry.length })
  const sample = await closedLoop(publish, counts)({ ...window, concurrency: publishers })
  return { ...sample, operations: sample.operations * commands }
}

serveCandidate({
  ready: {
    notes: [
      `${servers.about}. A message counts for as many commands as one of our commits holds: those on their way divided by`,
      `${shards} shards. That ours come to as many is a ratio of this run. Its bytes are those of the entry that our engine`,
      'appends for them.',
    ],
  },
  work,
  async close() {
    await connection.close()
    await servers.stop()
  },
})
