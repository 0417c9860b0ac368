/** Failover: effect handler that passes a failed message to the same person's conversation on the next channel. */
import { formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import { phoneOfAddress } from '../../core/people/address.js'
import type { AgentContexts, Directory } from '../conversation/context.js'
import type { ConversationCommands } from '../conversation/contract.js'
import type { Failover } from '../conversation/effects.js'
import { conversationTable, messageTable } from '../conversation/tables.js'
import type { EffectHandler, Shards } from '../shard/contract.js'

export interface FailoverDeps {
  readonly shards: Shards
  readonly commands: Pick<ConversationCommands, 'acceptFailover'>
  readonly directory: Directory
  readonly contexts: Pick<AgentContexts, 'of'>
}

/**
 * Every attempt uses the same command id, so the message is taken over once. A message of a deleted agent ends here.
 */
export function createFailoverHandler({ shards, commands, directory, contexts }: FailoverDeps): EffectHandler {
  return async ({ asid, sibling, messageId, channel, facts }: Failover, { id, reader }) => {
    const conversation = reader.get(conversationTable, [asid])
    const record = reader.get(messageTable, [asid, messageId])
    if (!conversation || !record) return
    const { agent: agentRef } = conversation
    const agent = await directory.get(formatAgentKey(agentRef))
    if (isRefusal(agent)) {
      if (agent.refused === 'resource.not_found') return
      throw new Error('the agent cannot be looked up just now')
    }
    // Channels that share phone numbers may write them differently.
    const address = phoneOfAddress(conversation.channel, conversation.address) ?? conversation.address
    const identity = { asid: sibling, agent: agentRef, channel, address }
    const context = contexts.of(agent, { channel, address })
    const input = { identity, agent: context, outgoing: record, sender: { asid, facts } }
    const result = await shards.execute(sibling, commands.acceptFailover, input, { id })
    if (isRefusal(result)) throw new Error('the message could not be given to the other channel')
  }
}
