/** Three nodes on three NATS servers: whichever of them fails or stands still, nothing acknowledged is lost or done twice. */
import { usualOutages } from './outages.js'
import { oneClusterThrough } from './short.js'

await oneClusterThrough(usualOutages)
