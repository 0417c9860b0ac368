/** Document checks in the config scenario without a node: lint, and integrity when an item is removed. */
import { setImmediate as breathe } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { buildIndex, findBrokenReferences, lint, withoutItem } from '../../../core/agent/index.js'
import { closedLoop } from '../../harness/loop.js'
import { serveCandidate } from '../../harness/rpc.js'
import { createBatchedWork } from '../render/runs.js'
import { documentOf, traced } from './agent.js'

const { values } = parseArgs({
  options: { lint: { type: 'boolean', default: false }, share: { type: 'string', default: '1' } },
})
const document = documentOf(Number(values.share))

/** Lists the references that removing a thing would break; a few facts name it. */
function createIntegrityWork() {
  const after = withoutItem(document, 'things', traced)
  const index = buildIndex(document)
  return createBatchedWork([() => findBrokenReferences(document, after, index).length])
}

const lintLoop = closedLoop(async () => {
  lint(document)
  // Gives the process time to answer the bench.
  await breathe()
})

serveCandidate({
  ready: {
    notes: [
      `${document.playbooks.length} playbooks, ${document.things.length} things, ${document.facts.length} facts.`,
    ],
  },
  // One lint after another: the figure is the time of one.
  work: values.lint ? (window) => lintLoop({ ...window, concurrency: 1 }) : createIntegrityWork(),
  close() {},
})
