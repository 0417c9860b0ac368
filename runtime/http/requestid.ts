/** Ids of requests: short, different for as long as anybody will look, and made without turning a number into text. */

const perBlock = 4_096
const endings = Array.from({ length: perBlock }, (_, at) => at.toString(36).padStart(3, '0'))

/** Each id is a block and an ending; a block counts on from the moment the process began, so a restart repeats none. */
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
