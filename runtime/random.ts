/** Random bytes drawn from the system many at a time: asking it for a few costs almost as much as for thousands. */

const poolBytes = 4_096

export function createBytePool(random: (count: number) => Uint8Array): (count: number) => Uint8Array {
  let pool: Uint8Array = new Uint8Array()
  let used = 0
  return (count) => {
    if (count > poolBytes) return random(count)
    if (used + count > pool.length) {
      pool = random(poolBytes)
      used = 0
    }
    used += count
    return pool.subarray(used - count, used)
  }
}
