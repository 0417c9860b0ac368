/** Exports of the agent document for routes, the runtime and tests. */
export * from './agenttemplate.js'
export * from './capabilities.js'
export * from './document.js'
export { bodyHash, isStale } from './flows/bodyhash.js'
export * from './goals.js'
export * from './identity.js'
export {
  buildIndex,
  buildIndexInSteps,
  conflictOf,
  findBrokenReferences,
  type IndexLoader,
  type Reference,
  type ReferenceIndex,
  updateIndex,
  updateIndexInSteps,
} from './integrity.js'
export * from './knowledge/collections.js'
export * from './knowledge/facts.js'
export * from './knowledge/sources.js'
export * from './knowledge/things.js'
export * from './lint/index.js'
export { admit, admitInSteps, invalidFields, type Outcome, removeItem, schemaError } from './outcome.js'
export * from './outreach.js'
export * from './people.js'
export * from './personality.js'
export * from './playbooks.js'
export * from './slug.js'
export * from './templates/messagetemplates.js'
export * from './templates/nested.js'
export * from './templates/render.js'
export * from './toolbindings.js'
export { type AgentExport, exportDocument, exportFormat } from './transfer/export.js'
export { addressesToImport, importDocument, importDocumentInSteps, importFaults } from './transfer/import.js'
export * from './updates.js'
export * from './uses.js'
