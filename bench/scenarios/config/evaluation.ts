/** What judges a document in the config scenario, without a node around it: lint, and integrity when something goes. */
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

/** What would break if a thing went that a few facts name. */
function createIntegrityWork() {
  const after = withoutItem(document, 'things', traced)
  const index = buildIndex(document)
  return createBatchedWork([() => findBrokenReferences(document, after, index).length])
}

const lintLoop = closedLoop(async () => {
  lint(document)
  // The process answers the bench in between.
  await breathe()
})

serveCandidate({
  ready: {
    notes: [
      `${document.playbooks.length} playbooks, ${document.things.length} things, ${document.facts.length} facts.`,
    ],
  },
  // One lint after another: what is asked is how long one takes.
  work: values.lint ? (window) => lintLoop({ ...window, concurrency: 1 }) : createIntegrityWork(),
  close() {},
})
