/** A whole node in the web chat scenario: visitors write to its agent over their sockets, or the agent to them. */
import { serveCandidate } from '../../harness/rpc.js'
import { watchConversations } from '../messages/conversationwatch.js'
import { openGateway } from '../messages/gateway.js'
import { chatPath, visitorsPerAddress } from './fixtures.js'
import { visitorOfGreeting } from './rpc.js'
import { openCrowd } from './visitorclient.js'

const isAgentTalking = process.argv.includes('--agent')
const asids: string[] = []

const gateway = await openGateway({
  wrapShards: watchConversations({
    onInbound(asid, [id = '']) {
      const visitor = visitorOfGreeting(id)
      if (visitor !== undefined) asids[visitor] = asid
    },
  }),
})
const crowd = openCrowd({
  target: { port: Number(new URL(gateway.url).port), path: chatPath, hasTokens: true, agentToken: gateway.token },
  ...(isAgentTalking && { people: async (count: number) => asids.slice(0, count) }),
})

serveCandidate({
  ready: {
    notes: [
      `Every limit is as it always is: ${visitorsPerAddress} visitors come from each loopback address, with tokens that the chat gave them.`,
      'The agent has no webhook, and pages do not tell what they have read: what is timed is one message on its way.',
    ],
  },
  work: crowd.work,
  async close() {
    crowd.end()
    await gateway.stop()
  },
})
