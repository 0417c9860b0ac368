/** Rendering as the rest of the house sees it. */
export type * from './contract.js'
export { type Segments, segmentsOf } from './gsm7.js'
export { type Preview, renderings, renderingsIn } from './preview.js'
export { readables } from './readables.js'
export { floorText, render, renderingIn } from './render.js'
