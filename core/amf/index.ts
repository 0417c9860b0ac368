/** AMF/1 as the rest of the house sees it. */
export { mediaUrlsIn } from './media.js'
export * from './message.js'
export * from './taps.js'
export { type Problem, validateMessage } from './validation.js'
export type { Event, Moment, Money, Place, Run } from './values.js'
