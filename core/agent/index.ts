/** The agent document: everything that routes, the runtime and tests need of it. */
export * from './applying.js'
export * from './capabilities.js'
export * from './character.js'
export * from './document.js'
export { bodyHash, isStale } from './flows/stale.js'
export * from './goals.js'
export * from './identity.js'
export {
  advance,
  advanceInSteps,
  brokenBy,
  conflictOf,
  type IndexFinder,
  indexInSteps,
  indexOf,
  type Reference,
  type ReferenceIndex,
} from './integrity.js'
export * from './knowledge/collections.js'
export * from './knowledge/facts.js'
export * from './knowledge/sources.js'
export * from './knowledge/things.js'
export * from './lint/index.js'
export * from './outreach.js'
export * from './people.js'
export * from './playbooks.js'
export * from './slug.js'
export * from './templates/nested.js'
export * from './templates/render.js'
export * from './templates/writes.js'
export * from './toolbindings.js'
export { type AgentExport, exported, exportFormat } from './transfer/export.js'
export { addressesToImport, imported, importFaults, importInSteps } from './transfer/import.js'
export * from './updates.js'
export * from './uses.js'
export { admitInSteps, admitted, invalidFields, misshapen, type Outcome, removed } from './writing.js'
