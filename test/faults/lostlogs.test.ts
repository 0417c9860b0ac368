/** NATS servers that lost acknowledged writes: the nodes still have them, and found the logs again. */
import { lostLogs } from './lostlogs.js'
import { oneClusterThrough } from './short.js'

await oneClusterThrough(lostLogs)
