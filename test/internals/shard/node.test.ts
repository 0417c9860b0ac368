/** A cluster of one node keeps the contract of the shards. */
import t from 'tap'
import { shardsSuite } from '../../contract/shards.js'
import { openNodeFixture } from '../../harness/engines.js'

t.test('A cluster of one node', async (t) => shardsSuite(t, openNodeFixture))
