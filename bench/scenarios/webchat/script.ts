/** A whole node that serves the script of an agent's web chat. */
import { serveCandidate } from '../../harness/rpc.js'
import { openGateway } from '../messages/gateway.js'
import { downloads } from './downloads.js'
import { chatPath } from './fixtures.js'

const gateway = await openGateway({ isBehindProxy: true })

serveCandidate({
  ready: {
    port: Number(new URL(gateway.url).port),
    request: downloads({ path: `${chatPath}/widget.js` }),
    notes: ['Every limit is as it always is: a proxy on loopback says that each download is from another address.'],
  },
  close: gateway.stop,
})
