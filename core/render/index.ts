/** The public interface of rendering. */
export type * from './contract.js'
export { type Segments, segmentsOf } from './gsm7.js'
export { type Preview, previewChannels, previewChannelsInSteps } from './preview.js'
export { readableTexts } from './readables.js'
export { floorText, render, renderInSteps } from './render.js'
