/** Three nodes on three NATS servers: whichever fails or stalls, no acknowledged write is lost or applied twice. */
import { usualOutages } from './outages.js'
import { oneClusterThrough } from './short.js'

await oneClusterThrough(usualOutages)
