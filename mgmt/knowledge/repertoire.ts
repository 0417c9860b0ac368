/** Everything of this area that runs where an agent's shard is, and what goes with the agent. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { Repertoire, Tx } from '../../runtime/shard/contract.js'
import type { AgentDocumentDoor } from './document.js'
import { type AgentMediaCommands, agentMediaCommands, type RemoveObject, removeObjectKind } from './media.js'
import { type GetPage, readingPerformer } from './reading.js'
import { readKind, type SourceCommands, sourceCommands } from './sources.js'

export interface Knowledge {
  readonly documents: AgentDocumentDoor
  readonly sources: SourceCommands
  readonly media: AgentMediaCommands
  readonly part: { made(): void; removed(tx: Tx, place: AgentPlace): void }
}

export function openKnowledge(documents: AgentDocumentDoor): Knowledge {
  const sources = sourceCommands(documents)
  const media = agentMediaCommands(documents)
  return {
    documents,
    sources,
    media,
    part: {
      made() {},
      removed(tx, place) {
        sources.removed(tx, place)
        media.removed(tx, place)
      },
    },
  }
}

export interface KnowledgeDoors {
  readonly getPage: GetPage
  readonly removeObject: (name: string) => Promise<void>
}

export function knowledgeRepertoire(
  { documents, sources, media }: Knowledge,
  { getPage, removeObject }: KnowledgeDoors,
): Repertoire {
  return {
    commands: [...Object.values(sources.commands), ...Object.values(media.commands)],
    queries: [...Object.values(sources.queries), ...Object.values(media.queries)],
    performers: (shards) => ({
      [readKind]: readingPerformer({ shards, documents, commands: sources.commands, getPage }),
      [removeObjectKind]: ({ name }: RemoveObject) => removeObject(name),
    }),
  }
}
