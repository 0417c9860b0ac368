/** Which stored object holds the bytes of a media item of an agent's document. */
import type { AgentRef } from '../../core/agentref.js'
import { type Reader, table } from '../../runtime/store/contract.js'

/** The name of the object. */
export const objectTable = table<[orgId: string, agentId: string, mediaId: string], string>('knowledge.media')

/** The name of the object that an item's `image:<id>` stands for. */
export function objectOf(reader: Reader, { orgId, agentId }: AgentRef, mediaId: string): string | undefined {
  return reader.get(objectTable, [orgId, agentId, mediaId])
}
