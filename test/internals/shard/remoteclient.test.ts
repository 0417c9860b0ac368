/**
 * A cluster keeps the contract of the shards also when the caller is not on the node that owns them: everything goes
 * over the wire.
 */
import t from 'tap'
import { shardsSuite } from '../../contract/shards.js'
import { openRemoteFixture } from '../../harness/engines.js'

t.test('A cluster asked from a process that keeps no shards', async (t) => shardsSuite(t, openRemoteFixture))
