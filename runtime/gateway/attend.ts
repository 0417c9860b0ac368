/** Decisions of conversations that need to know how the agent is bound just now, and messages that change channels. */
import { agentKeyOf } from '../../core/agentkey.js'
import type { Around } from '../../core/conversation/desk.js'
import type { Conversation } from '../../core/conversation/state.js'
import { isRefusal } from '../../core/errors.js'
import { numberBehind } from '../../core/people/address.js'
import type { Performer } from '../shard/contract.js'
import { aroundOf, type Person } from './directory.js'
import type { Attend, Carry } from './effects.js'
import type { Places } from './places.js'
import { conversationTable, outgoingTable } from './tables.js'

/** Undefined when the agent is gone: then there is nothing to decide any more. */
async function lookAround(
  places: Places,
  { agent }: Pick<Conversation, 'agent'>,
  person: Person,
): Promise<Around | undefined> {
  const known = await places.directory.routes(agentKeyOf(agent))
  if (!isRefusal(known)) return aroundOf(known, person, places)
  if (known.refused === 'resource.not_found') return undefined
  throw new Error('the agent cannot be looked up just now')
}

export function attendPerformer(places: Places): Performer {
  const { shards, commands } = places
  return async ({ asid, matter }: Attend, { reader, settles }) => {
    const conversation = reader.get(conversationTable, [asid])
    const around = conversation && (await lookAround(places, conversation, conversation))
    if (!around) return
    const noted = await shards.ask(asid, commands.attend, { asid, around, matter }, { settles })
    if (isRefusal(noted)) throw new Error('a conversation could not be attended to')
  }
}

/** Gives a message to the same person's conversation on the next channel, under one id however often this is tried. */
export function carryPerformer(places: Places): Performer {
  const { shards, commands } = places
  return async ({ asid, sibling, messageId, channel }: Carry, { id, reader }) => {
    const conversation = reader.get(conversationTable, [asid])
    const outgoing = reader.get(outgoingTable, [asid, messageId])
    if (!conversation || !outgoing) return
    const { agent, sandbox } = conversation
    // Channels that share people's numbers may write them differently.
    const address = numberBehind(conversation.channel, conversation.address) ?? conversation.address
    const around = await lookAround(places, conversation, { channel, address })
    if (!around) return
    const who = { asid: sibling, agent, channel, address, ...(sandbox && { sandbox }) }
    const input = { who, around, outgoing, for: asid }
    const noted = await shards.ask(sibling, commands.carry, input, { id })
    if (isRefusal(noted)) throw new Error('a message could not be carried to another channel')
  }
}
