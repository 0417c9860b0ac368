/** What an area under test has of the areas before it: an agent on record, with a document that the test writes. */
import type { AgentDocument } from '../../core/agent/index.js'
import type { AgentRef } from '../../core/agentref.js'
import type { AgentListener } from '../../mgmt/agents/commands.js'
import type { AgentDocuments, DocumentListener } from '../../mgmt/agents/documentoperations.js'
import type { Agents } from '../../mgmt/agents/index.js'
import { type AgentRecord, agentTable } from '../../mgmt/agents/store.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'

export interface AgentStub extends Pick<Agents, 'documents' | 'onLifecycle'> {
  /** Calls the listeners of areas as the commit does that creates or deletes the agent. */
  created(tx: Tx, agentRef: AgentRef, meta: CommandMeta): void
  removed(tx: Tx, agentRef: AgentRef): void
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
export function createAgentStub(documentOf: () => AgentDocument): AgentStub {
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
    created(tx, agentRef, meta) {
      for (const { created } of listeners) created?.(tx, { ...agentRef, credentials: undefined as never }, meta)
    },
    removed(tx, agentRef) {
      for (const { removed } of listeners) removed?.(tx, agentRef)
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
