/** Exports of AMF/1. */
export { mediaUrlsIn } from './media.js'
export * from './message.js'
export * from './taps.js'
export { type Problem, validateMessage } from './validation.js'
export type { Event, Moment, Money, Place, Run } from './values.js'
