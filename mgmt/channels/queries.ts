/** Queries of an agent's bindings, as callers see them. */
import type { AgentRef } from '../../core/agentref.js'
import { refuse } from '../../core/errors.js'
import type { Query } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import type { BindingView } from './schema.js'
import { type BindingRef, bindingsOf, bindingView, getBinding } from './store.js'

const notFound = refuse('resource.not_found')

const list: Query<AgentRef, BindingView[]> = {
  name: 'channels.list',
  read: (reader, ref) => (findAgent(reader, ref) ? bindingsOf(reader, ref).map(bindingView) : notFound),
}

const read: Query<BindingRef, BindingView> = {
  name: 'channels.read',
  read(reader, ref) {
    const binding = getBinding(reader, ref)
    return binding ? bindingView(binding) : notFound
  },
}

export const channelQueries = { list, read }
