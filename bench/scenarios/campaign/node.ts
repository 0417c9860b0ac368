/**
 * A whole node with an agent and an audience for its campaigns: real data and sockets, rcs on the emulated provider.
 */
import type { NodeContext } from '../../../runtime/node/compose.js'
import { call } from '../../harness/api.js'
import { outreachId } from '../journey/fixtures.js'
import { type JourneyNode, newNodeSetup, type RcsBinding, setUpAgent, startJourneyNode } from '../journey/node.js'
import { fillAudience } from './audience.js'

export interface CampaignNode extends JourneyNode {
  /** Calls the management API, at a path of the agent. */
  call(method: string, path: string, body?: unknown): Promise<Answer>
}

// biome-ignore lint/suspicious/noExplicitAny: a bench reads what it knows to be there
type Answer = any

const timeScale = 1

/** Starts the node, sets up the agent, stops the node, writes the audience to its disk, starts the node again. */
export async function openCampaignNode(
  people: number,
  wrapShards?: NodeContext['wrapShards'],
  binding?: RcsBinding,
): Promise<CampaignNode> {
  const setup = newNodeSetup()
  const configured = await setUpAgent(await startJourneyNode(setup, { timeScale }), binding)
  const { agent } = configured
  await configured.stop()
  await fillAudience(setup, agent, people)
  const node = { ...(await startJourneyNode(setup, { timeScale, wrapShards })), agent }
  const at = `${node.url}/v1/orgs/${agent.orgId}/agents/${agent.agentId}`
  return { ...node, call: (method, path, body) => call(method, `${at}${path}`, node.key, body) }
}

/** Drafts a campaign for the whole audience and returns its path. */
export async function createDraft({ call: ask }: CampaignNode): Promise<string> {
  const { id } = await ask('POST', '/campaigns', { name: 'Bench', outreachId, audience: { filter: {} } })
  return `/campaigns/${id}`
}
