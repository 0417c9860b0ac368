/** Ids of requests: short, unique on a node, and made without formatting a number for each. */

const idsPerBlock = 4_096
const suffixes = Array.from({ length: idsPerBlock }, (_, at) => at.toString(36).padStart(3, '0'))

/** An id is a block and an ending. Blocks count up from the time of the start, so a restart repeats no id. */
export function createRequestIds(startedAt: number): () => string {
  let block = startedAt
  let name = ''
  let next = idsPerBlock
  return () => {
    if (next === idsPerBlock) {
      name = (block++).toString(36)
      next = 0
    }
    return name + suffixes[next++]
  }
}
