/** A process that only looks at the time, on one core: when it could not for a while, nothing on that core could. */
import type { Standstill } from './steadiness.js'

const lookEveryMs = 1
/** Whoever shares its core with busy processes waits as long now and then. */
const usualMs = 5

let seen: Standstill[] = []
let looked = performance.timeOrigin + performance.now()

setInterval(() => {
  const now = performance.timeOrigin + performance.now()
  if (now - looked > usualMs) seen.push({ from: looked, to: now })
  looked = now
}, lookEveryMs)

process.on('disconnect', () => process.exit(0))
process.on('message', () => {
  process.send?.(seen)
  seen = []
})
