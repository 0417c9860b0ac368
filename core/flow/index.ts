/** Exports of the flow engine. */
export type * from './contract.js'
export { coverageOf, type FlowCoverage } from './coverage.js'
export { runFlow } from './engine.js'
export { keyOfCall } from './key.js'
export { enterFlow } from './transfer.js'
