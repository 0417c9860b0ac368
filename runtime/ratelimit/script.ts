/** The Redis script of a spend: the arithmetic of bucket.ts, atomic, so that no node sees a bucket half spent. */

/** Redis's own clock, so that nodes need not agree on the time. */
const redisMicros = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]`

/**
 * KEYS[1] is the bucket. ARGV: its capacity, its refill per microsecond, the price of a call, and the most that the
 * calling node believes is left, all in the units of bucket.ts. Returns: allowed (1 or 0), units left, and the
 * microseconds by which the bucket's time is ahead of the clock.
 * The node's belief is a ceiling. It matters only when Redis has lost the bucket (a restart) or has missed calls (the
 * node was cut off from it): a subject that has just spent its burst does not get another one that way.
 * The key expires when the bucket is full, since a missing bucket counts as full.
 */
export function spendScript(nowMicros: string = redisMicros): string {
  return `${nowMicros}
local capacity, refill, price, ceiling = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local stored = redis.call('HMGET', KEYS[1], 'units', 'at')
local units, at = capacity, now
if stored[1] and stored[2] then
  local storedAt = tonumber(stored[2])
  if storedAt - now <= capacity / refill then at = math.max(storedAt, now) end
  units = math.min(capacity, tonumber(stored[1]) + math.max(0, at - storedAt) * refill)
end
units = math.min(units, ceiling)
local allowed = units >= price and 1 or 0
units = units - allowed * price
redis.call('HSET', KEYS[1], 'units', units, 'at', at)
redis.call('PEXPIRE', KEYS[1], math.ceil(((capacity - units) / refill + at - now) / 1000) + 1)
return { allowed, units, at - now }
`
}
