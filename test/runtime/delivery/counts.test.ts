/**
 * What is looked up and written for one message on its way: the agent's context, its media and the provider's payload.
 */
import t from 'tap'
import { waitUntil } from '../../harness/clock.js'
import { openGatewayFixture } from '../conversation/fixture.js'

const ann = '+15550100'

t.test(
  'The context is resolved once for each command, and the media and the payload of a message once in all',
  async (t) => {
    const fixture = await openGatewayFixture(t, { channels: ['rcs'] })
    const counts = { contexts: 0, media: 0, payloads: 0 }
    const [adapter] = fixture.adapters
    const { contexts, media } = fixture.deps
    const [contextOf, rehost, render] = [contexts.of, media.rehost, adapter!.render]
    Object.assign(contexts, {
      of(...args: Parameters<typeof contextOf>) {
        counts.contexts++
        return contextOf(...args)
      },
    })
    Object.assign(media, {
      rehost(...args: Parameters<typeof rehost>) {
        counts.media++
        return rehost(...args)
      },
    })
    Object.assign(adapter!, {
      render(...args: Parameters<typeof render>) {
        counts.payloads++
        return render(...args)
      },
    })
    const options = ['Red', 'Blue'].map((label) => ({ id: label.toLowerCase(), label }))
    const message = {
      spec: 'amf/1',
      parts: [
        { type: 'media', mediaUrl: 'https://media.example/room.png', kind: 'image', alt: 'A room' },
        { type: 'ask.choice', intentId: 'room', prompt: 'Which room?', options },
      ],
    }
    fixture.setWebhookBehavior((response, nth) => {
      // The first event is that the conversation began.
      if (nth !== 2) return void response.writeHead(204).end()
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ messages: [message] }))
    })
    const asid = await fixture.receiveText(ann, 'Hi', 'rcs')
    await waitUntil(() => fixture.eventTexts(asid).includes('sent rcs'))
    await fixture.waitForWebhook()
    const events = fixture.envelopes().length
    t.equal(counts.media, 1, 'the media is looked up once')
    t.equal(counts.payloads, 1, 'the message is rendered once')
    // One command for the inbound text, one for each call of the webhook, one for the outcome of the send.
    t.equal(counts.contexts, 1 + events + 1, 'the context is resolved once for each command')
  },
)
