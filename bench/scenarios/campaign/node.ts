/** A whole node with an agent and an audience for its campaigns: its own data, real sockets, and rcs on the emulated provider. */
import type { NodeContext } from '../../../runtime/node/compose.js'
import { outreachId } from '../journey/fixtures.js'
import { call, type JourneyNode, newNodeSetup, setUpAgent, startJourneyNode } from '../journey/node.js'
import { fillAudience } from './audience.js'

export interface CampaignNode extends JourneyNode {
  /** Calls the management API, at a path of the agent. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>
}

// biome-ignore lint/suspicious/noExplicitAny: a bench reads what it knows to be there
type Answer = any

const timeScale = 1

/** The node is started, furnished and stopped before the audience goes on its disk, and then started again. */
export async function openCampaignNode(people: number, wrapShards?: NodeContext['wrapShards']): Promise<CampaignNode> {
  const place = newNodeSetup()
  const configured = await setUpAgent(await startJourneyNode(place, { timeScale }))
  const { place: agent } = configured
  await configured.stop()
  await fillAudience(place, agent, people)
  const node = { ...(await startJourneyNode(place, { timeScale, wrapShards })), place: agent }
  const at = `${node.url}/v1/orgs/${agent.orgId}/agents/${agent.agentId}`
  return { ...node, ask: (method, path, body) => call(method, `${at}${path}`, node.key, body) }
}

/** Drafts a campaign for everybody and answers where it is. */
export async function createDraft({ ask }: CampaignNode): Promise<string> {
  const { id } = await ask('POST', '/campaigns', { name: 'Bench', outreachId, audience: { filter: {} } })
  return `/campaigns/${id}`
}
