/** NATS servers that have forgotten what they acknowledged: the nodes still know it, and found the logs anew. */
import { lostLogs } from './lostlogs.js'
import { oneClusterThrough } from './short.js'

await oneClusterThrough(lostLogs)
