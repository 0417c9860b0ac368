/** The limit of the render scenario: the text message written as JSON, once for each message to a channel. */
import { present } from '../control.js'
import { messages } from './messages.js'
import { inRuns } from './runs.js'

const { text } = messages

present({
  ready: { notes: [`The message: ${JSON.stringify(text)}.`] },
  work: inRuns([() => JSON.stringify(text).length]),
  close() {},
})
