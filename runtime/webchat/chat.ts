/**
 * The chat of an agent by its public name: the org and the agent with a dot between them. Agent ids are unique within an
 * org only, and neither of the two may hold a dot; unlike a binding's id the name outlives the binding, so what was pasted
 * into a site goes on working when web chat is removed and bound anew.
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

/** Whether the agent is not there, has no web chat or has it switched off looks alike from outside. */
export async function findChat(directory: Directory, agentRef: AgentRef): Promise<Chat | Refusal> {
  return chatOf(await directory.get(formatAgentKey(agentRef)))
}

function chatOf(agent: AgentRouting | Refusal): Chat | Refusal {
  if (isRefusal(agent)) return agent.refused === 'resource.not_found' ? chatNotFound : agent
  const binding = agent.channels.find(({ channel }) => channel === 'webchat')
  return binding ? { agent, binding } : chatNotFound
}

const originForbidden = refuse('auth.forbidden', { detail: 'The chat is not for this site.' })

/** Undefined where pages of that origin may show the chat: those the operator named, our own, and any where none is named. */
export function originError({ binding }: Chat, origin: string, ownOrigin: string): Refusal | undefined {
  const allowedOrigins = binding.inputs?.origins
  if (!Array.isArray(allowedOrigins) || allowedOrigins.length === 0 || origin === ownOrigin) return undefined
  const isAllowed = allowedOrigins.some(
    (each) => typeof each === 'string' && each.toLowerCase() === origin.toLowerCase(),
  )
  return isAllowed ? undefined : originForbidden
}
