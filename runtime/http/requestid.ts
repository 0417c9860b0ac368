/** Ids of requests: short, unique on a node, and made without formatting a number for each. */

const perBlock = 4_096
const endings = Array.from({ length: perBlock }, (_, at) => at.toString(36).padStart(3, '0'))

/** An id is a block and an ending. Blocks count up from the time of the start, so a restart repeats no id. */
export function requestIds(startedAt: number): () => string {
  let block = startedAt
  let name = ''
  let next = perBlock
  return () => {
    if (next === perBlock) {
      name = (block++).toString(36)
      next = 0
    }
    return name + endings[next++]
  }
}
