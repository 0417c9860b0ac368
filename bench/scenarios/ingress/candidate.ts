/**
 * A whole node in the ingress scenario: each call is verified, parsed, taken by its conversation and durable before its
 * answer.
 */
import { serveCandidate } from '../../harness/rpc.js'
import { openGateway } from '../messages/gateway.js'
import { account, people } from './fixtures.js'

const gateway = await openGateway({ binding: { mode: 'unmanaged', provider: 'twilio', auth: account } })
const url = gateway.phones.url

serveCandidate({
  ready: {
    port: Number(new URL(url).port),
    request: { method: 'POST', path: '', headers: {}, body: '', made: { by: 'ingress/calls', of: { url } } },
    notes: [`${people} people in turn, every call with a message of its own. The agent has no webhook.`],
  },
  close: gateway.stop,
})
