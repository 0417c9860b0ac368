/** What judges a document in the config scenario, without a node around it: lint, and integrity when something goes. */
import { setImmediate as breathe } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { brokenBy, indexOf, lint, withoutItem } from '../../core/agent/index.js'
import { present } from '../control.js'
import { closedLoop } from '../loop.js'
import { inRuns } from '../render/runs.js'
import { documentOf, traced } from './agent.js'

const { values } = parseArgs({
  options: { lint: { type: 'boolean', default: false }, share: { type: 'string', default: '1' } },
})
const before = documentOf(Number(values.share))

/** What would break if a thing went that a few facts name. */
function integrity() {
  const after = withoutItem(before, 'things', traced)
  const index = indexOf(before)
  return inRuns([() => brokenBy(before, after, index).length])
}

const lintings = closedLoop(async () => {
  lint(before)
  // The process answers the bench in between.
  await breathe()
})

present({
  ready: {
    notes: [`${before.playbooks.length} playbooks, ${before.things.length} things, ${before.facts.length} facts.`],
  },
  // One lint after another: what is asked is how long one takes.
  work: values.lint ? (window) => lintings({ ...window, concurrency: 1 }) : integrity(),
  close() {},
})
