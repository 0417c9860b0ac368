/** Failover: a message that failed on one channel is given to the same person's conversation on the next one. */
import { agentKeyOf } from '../../core/agentkey.js'
import { isRefusal } from '../../core/errors.js'
import { numberBehind } from '../../core/people/address.js'
import type { AgentContexts, Directory } from '../conversation/context.js'
import type { ConversationCommands } from '../conversation/contract.js'
import type { Failover } from '../conversation/effects.js'
import { conversationTable, outgoingTable } from '../conversation/tables.js'
import type { Performer, Shards } from '../shard/contract.js'

export interface FailoverDeps {
  readonly shards: Shards
  readonly commands: Pick<ConversationCommands, 'takeOver'>
  readonly directory: Directory
  readonly contexts: Pick<AgentContexts, 'of'>
}

/** The message is given under one command id however often this is tried. A message of a deleted agent ends here. */
export function failoverPerformer({ shards, commands, directory, contexts }: FailoverDeps): Performer {
  return async ({ asid, sibling, messageId, channel, facts }: Failover, { id, reader }) => {
    const conversation = reader.get(conversationTable, [asid])
    const outgoing = reader.get(outgoingTable, [asid, messageId])
    if (!conversation || !outgoing) return
    const { agent: place, sandbox } = conversation
    const agent = await directory.get(agentKeyOf(place))
    if (isRefusal(agent)) {
      if (agent.refused === 'resource.not_found') return
      throw new Error('the agent cannot be looked up just now')
    }
    // Channels that share people's numbers may write them differently.
    const address = numberBehind(conversation.channel, conversation.address) ?? conversation.address
    const who = { asid: sibling, agent: place, channel, address, ...(sandbox && { sandbox }) }
    const context = contexts.of(agent, { channel, address })
    const input = { who, agent: context, outgoing, sender: { asid, facts } }
    const taken = await shards.ask(sibling, commands.takeOver, input, { id })
    if (isRefusal(taken)) throw new Error('the message could not be given to the other channel')
  }
}
