/** What an area under test has of the areas before it: an agent on record, with a document that the test writes. */
import type { AgentDocument } from '../../core/agent/index.js'
import type { AgentRef } from '../../core/agentref.js'
import type { AgentListener } from '../../mgmt/agents/commands.js'
import type { AgentDocuments, DocumentListener } from '../../mgmt/agents/documentcommands.js'
import type { Agents } from '../../mgmt/agents/index.js'
import { type AgentRecord, agentTable } from '../../mgmt/agents/store.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'

export interface AgentsBefore extends Pick<Agents, 'documents' | 'onLifecycle'> {
  /** Calls the listeners of areas as the commit does that creates or deletes the agent. */
  created(tx: Tx, place: AgentRef, told: CommandMeta): void
  removed(tx: Tx, place: AgentRef): void
  /** Calls the listeners of areas as the commit does that changes the document, until one refuses. */
  changed: DocumentListener
}

export function agentOf({ orgId, agentId: id }: AgentRef, incarnation = 1): AgentRecord {
  return { orgId, id, incarnation, name: 'Desk', createdAt: 0, updatedAt: 0 }
}

/** Puts the agent on record. */
export const putAgent: Command<AgentRecord, true> = {
  name: 'test.putAgent',
  decide(tx, agent) {
    tx.put(agentTable, [agent.orgId, agent.id], agent)
    return true
  },
}

/** Areas register on it as on the agents of a node. What they provide for the document's endpoints is not asked for. */
export function agentsBefore(documentOf: () => AgentDocument): AgentsBefore {
  const listeners: AgentListener[] = []
  const documentListeners: DocumentListener[] = []
  const documents = {
    load(reader: Reader, { orgId, agentId }: AgentRef) {
      const agent = reader.get(agentTable, [orgId, agentId])
      return agent && { agent, document: documentOf() }
    },
    onChanged: (listener: DocumentListener) => void documentListeners.push(listener),
    provide() {},
  } as unknown as AgentDocuments
  return {
    documents,
    onLifecycle: (listener) => void listeners.push(listener),
    created(tx, place, told) {
      for (const { created } of listeners) created?.(tx, { ...place, credentials: undefined as never }, told)
    },
    removed(tx, place) {
      for (const { removed } of listeners) removed?.(tx, place)
    },
    changed(...change) {
      for (const listener of documentListeners) {
        const refused = listener(...change)
        if (refused) return refused
      }
      return undefined
    },
  }
}
