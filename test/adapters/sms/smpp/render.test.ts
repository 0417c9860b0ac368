/** What a message center is sent for parts that it has no words for. */
import t from 'tap'
import { smppAdapter } from '../../../../adapters/sms/smpp/adapter.js'
import { twilioAdapter } from '../../../../adapters/sms/twilio/adapter.js'
import type { ContentMessage } from '../../../../core/amf/index.js'
import { capabilitiesOf } from '../../../../core/render/capabilities.js'
import { render } from '../../../../core/render/index.js'

const reader = { locale: 'en-US', zone: 'America/New_York' }
const message: ContentMessage = {
  spec: 'amf/1',
  parts: [
    {
      type: 'native',
      channel: 'sms',
      payload: { ContentSid: 'HX1' },
      fallback: [{ type: 'text', text: 'Your table is ready.' }],
    },
  ],
}

t.test('A native part for sms is its fallback over a message center, which takes no payloads', async (t) => {
  const { traits } = smppAdapter.descriptor
  const { blocks, loss } = render(message, traits, reader)
  t.same(loss, [])
  const payloads = smppAdapter.render(blocks, { address: '+15550001', messageId: 'msg_1' })
  t.match(payloads, [{ kind: 'text', text: 'Your table is ready.' }])
  t.equal(capabilitiesOf(traits, 'smpp').parts.native, 'text')
})

t.test('A provider of the same channel that takes payloads gets the payload', async (t) => {
  const { blocks } = render(message, twilioAdapter.descriptor.traits, reader)
  t.same(twilioAdapter.render(blocks, { address: '+15550001', messageId: 'msg_1' }), [{ ContentSid: 'HX1' }])
})
