/** A whole node in the turn-large scenario with both agents; the texts go to one of them. */
import { parseArgs } from 'node:util'
import { serveCandidate } from '../../harness/rpc.js'
import { openGateway } from '../messages/gateway.js'
import { greetAll } from '../messages/phones.js'
import { people } from '../turn-flow/agent.js'
import { createTextLoad } from '../turn-flow/calls.js'
import { watchTrips } from '../turn-flow/trips.js'
import { type AgentSize, documentOf, texts } from './agents.js'

const { values } = parseArgs({ options: { agent: { type: 'string' } } })
const size = values.agent as AgentSize

const trips = watchTrips(() => {})
const gateway = await openGateway({ document: documentOf('small'), wrapShards: trips.wrapShards })
const agents = { small: gateway, large: await gateway.addAgent({ document: documentOf('large') }) }
const { phones } = agents[size]
await greetAll(phones, people)

serveCandidate({
  ready: {
    ...createTextLoad({ phones, texts }),
    notes: [`${people} people in turn, all in the flow before the first window.`],
  },
  work: trips.check,
  close: gateway.stop,
})
