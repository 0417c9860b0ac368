/** A process that reads the clock on one core; a gap between readings is a stall of that core. */
import type { Stall } from './stalls.js'

const tickMs = 1
/** A shorter gap is ordinary for a process that shares its core with busy ones. */
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
