/** The renderer in the render scenario: one message, to each channel in turn. */
import { parseArgs } from 'node:util'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { channelNames } from '../../../core/channelnames.js'
import { render } from '../../../core/render/index.js'
import { serveCandidate } from '../../harness/rpc.js'
import { messages } from './messages.js'
import { createBatchedWork } from './runs.js'

const { values } = parseArgs({ options: { part: { type: 'string', default: 'text' } } })
const message = messages[values.part]
if (!message) throw new Error(`there is no message of ${values.part}`)

const reader = { locale: 'en-US', zone: 'America/New_York' }

serveCandidate({
  ready: { notes: [`Channels: ${channelNames.join(', ')}.`] },
  work: createBatchedWork(
    channelNames.map((channel) => {
      const traits = traitsOf(channel)
      return () => render(message, traits, reader).blocks.length
    }),
  ),
  close() {},
})
