/**
 * The chat of an agent by its public name, `<org>.<agent>`. Agent ids are unique only within an org, and neither id may
 * contain a dot. Unlike a binding's id the name outlives the binding, so an embedded snippet still works when web chat
 * is removed and bound again.
 */
import Type from 'typebox'
import type { AgentRouting, ChannelRoute } from '../../core/agent/routing.js'
import { faultsOf } from '../../core/agent/schemacheck.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { slugPattern } from '../../core/ids.js'
import type { Directory } from '../conversation/context.js'

const slug = slugPattern.slice(1, -1)
export const chatPattern = `^${slug}\\.${slug}$`
const ChatName = Type.String({ pattern: chatPattern })

export function parseChatName(name: string): AgentRef | undefined {
  const [orgId, agentId] = name.split('.')
  return orgId && agentId && faultsOf(ChatName, name).length === 0 ? { orgId, agentId } : undefined
}

export interface Chat {
  readonly agent: AgentRouting
  readonly binding: ChannelRoute
}

const chatNotFound = refuse('resource.not_found', { detail: 'There is no such chat, or it is switched off.' })

/** A missing agent, an agent without web chat and a disabled web chat look the same from outside. */
export async function findChat(directory: Directory, agentRef: AgentRef): Promise<Chat | Refusal> {
  return chatOf(await directory.get(formatAgentKey(agentRef)))
}

function chatOf(agent: AgentRouting | Refusal): Chat | Refusal {
  if (isRefusal(agent)) return agent.refused === 'resource.not_found' ? chatNotFound : agent
  const binding = agent.channels.find(({ channel }) => channel === 'webchat')
  return binding ? { agent, binding } : chatNotFound
}

const originForbidden = refuse('auth.forbidden', { detail: 'The chat is not for this site.' })

/**
 * Undefined if pages of that origin may show the chat: the configured origins, our own, or all if none is configured.
 */
export function originError({ binding }: Chat, origin: string, ownOrigin: string): Refusal | undefined {
  const allowedOrigins = binding.inputs?.origins
  if (!Array.isArray(allowedOrigins) || allowedOrigins.length === 0 || origin === ownOrigin) return undefined
  const isAllowed = allowedOrigins.some(
    (each) => typeof each === 'string' && each.toLowerCase() === origin.toLowerCase(),
  )
  return isAllowed ? undefined : originForbidden
}
