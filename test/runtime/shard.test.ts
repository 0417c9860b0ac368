/** The embedded engine keeps the contract of the shards. */
import t from 'tap'
import { shardsSuite } from '../contract/shards.js'
import { openEmbeddedFixture } from '../harness/engines.js'

t.test('The embedded engine passes the contract of shards', async (t) => shardsSuite(t, openEmbeddedFixture))
