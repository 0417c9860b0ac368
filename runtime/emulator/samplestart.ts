/**
 * The start of a sample agent: an agent like any other, with bindings at the emulated providers. Later starts create
 * nothing again that an operator deleted.
 */
import type { ProviderEmulator } from '../../adapters/emulator/provideremulator.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import { generateCredentials } from '../../mgmt/agents/credentials.js'
import { bindSample } from './samplebindings.js'
import { type Sample, type SampleDeps, type SampleProfile, type SampleStart, unwrap } from './samples.js'

/** Undefined if an operator deleted the agent. A first start that was interrupted is completed by the next one. */
export async function startSample(
  { profile, prepare }: Sample,
  deps: SampleDeps,
  providers: ProviderEmulator,
  startOptions: SampleStart,
): Promise<AgentRef | undefined> {
  const agentRef = { orgId: startOptions.orgId, agentId: profile.id }
  if (startOptions.isFirst) {
    const created = await createAgent(deps, agentRef, profile)
    if (!isRefusal(created) || created.refused !== 'agent.id_taken') unwrap(created)
  }
  const agent = await deps.directory.get(formatAgentKey(agentRef))
  if (isRefusal(agent)) return undefined
  await prepare(deps, agent, startOptions)
  await bindSample(deps, providers, agent, profile, startOptions)
  return agentRef
}

async function createAgent(
  { shards, sealer, management: { agents }, randomBytes }: SampleDeps,
  { orgId, agentId }: AgentRef,
  { name, description }: SampleProfile,
) {
  const credentials = await generateCredentials(orgId, { sealer, randomBytes })
  if (isRefusal(credentials)) return credentials
  const input = { name, description, orgId, credentials }
  const reserved = await shards.execute(orgId, agents.reserveId, { ...input, id: agentId })
  if (isRefusal(reserved)) return reserved
  return shards.execute(formatAgentKey({ orgId, agentId }), agents.create, { ...input, ...reserved })
}
