/** A process that only looks at the time, on one core: when it could not for a while, nothing on that core could. */
import type { Stall } from './stalls.js'

const tickMs = 1
/** Whoever shares its core with busy processes waits as long now and then. */
const stallMs = 5

let stalls: Stall[] = []
let lastTickAt = performance.timeOrigin + performance.now()

setInterval(() => {
  const now = performance.timeOrigin + performance.now()
  if (now - lastTickAt > stallMs) stalls.push({ from: lastTickAt, to: now })
  lastTickAt = now
}, tickMs)

process.on('disconnect', () => process.exit(0))
process.on('message', () => {
  process.send?.(stalls)
  stalls = []
})
