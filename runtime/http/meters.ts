/** How many connections a listener has, and how many it would not take. */
import type { Metrics } from '../observe/metrics.js'
import { counterOf, gaugeOf } from '../observe/named.js'
import type { Plane } from './route.js'
import type { SocketMeters } from './server.js'

export function socketMeters(metrics: Pick<Metrics, 'counter' | 'gauge'>, plane: Plane): SocketMeters {
  let now = 0
  gaugeOf(metrics, 'parley_http_sockets', () => now, plane)
  const refused = counterOf(metrics, 'parley_http_sockets_refused_total')(plane)
  return {
    open(sockets) {
      now = sockets
    },
    refused: () => refused.add(),
  }
}
