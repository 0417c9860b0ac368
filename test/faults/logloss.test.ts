/** NATS servers that lost acknowledged writes: the nodes still have them, and found the logs again. */
import { lostLogs } from './logloss.js'
import { oneClusterThrough } from './short.js'

await oneClusterThrough(lostLogs)
