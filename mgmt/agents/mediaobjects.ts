/** Index from a media item of an agent's document to the stored object with its bytes. */
import type { AgentRef } from '../../core/agentref.js'
import { type Reader, table } from '../../runtime/store/contract.js'

/** The value is the name of the object. */
export const objectTable = table<[orgId: string, agentId: string, mediaId: string], string>('knowledge.media')

/** The name of the object for an item's `image:<id>`. */
export function objectOf(reader: Reader, { orgId, agentId }: AgentRef, mediaId: string): string | undefined {
  return reader.get(objectTable, [orgId, agentId, mediaId])
}
