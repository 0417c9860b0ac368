/** The limit of the render scenario: the text message as JSON, once for each channel. */
import { serveCandidate } from '../../harness/rpc.js'
import { messages } from './messages.js'
import { createBatchedWork } from './runs.js'

const { text } = messages

serveCandidate({
  ready: { notes: [`The message: ${JSON.stringify(text)}.`] },
  work: createBatchedWork([() => JSON.stringify(text).length]),
  close() {},
})
