/** What is read of an agent's bindings, as callers see it. */
import type { AgentPlace } from '../../core/agentkey.js'
import { refuse } from '../../core/errors.js'
import type { Query } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import type { BindingView } from './schema.js'
import { type BindingPlace, bindingAsRead, bindingAt, bindingsOf } from './store.js'

const notFound = refuse('resource.not_found')

const list: Query<AgentPlace, BindingView[]> = {
  name: 'channels.list',
  read: (reader, place) => (findAgent(reader, place) ? bindingsOf(reader, place).map(bindingAsRead) : notFound),
}

const read: Query<BindingPlace, BindingView> = {
  name: 'channels.read',
  read(reader, place) {
    const binding = bindingAt(reader, place)
    return binding ? bindingAsRead(binding) : notFound
  },
}

export const channelQueries = { list, read }
