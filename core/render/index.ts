/** The public interface of rendering. */
export type * from './contract.js'
export { type Segments, segmentsOf } from './gsm7.js'
export { readableTexts } from './losscheck.js'
export { type Preview, previewChannels, previewChannelsInSteps } from './preview.js'
export { floorText, render, renderInSteps } from './render.js'
