/** Recorded requests and responses of the emulator page, for the OpenAPI document. */
import type { RouteExamples } from '../../http/examples.js'

export const scene: RouteExamples = {
  'GET /system/emulator/stage': {
    status: 200,
    reply: {
      agents: [
        {
          orgId: 'demo',
          agentId: 'sample-clinic',
          name: 'Sample Harbor Clinic',
          mode: 'managed',
          suggestions: ['Book a visit', 'Do you have parking?', 'Can I talk to a person?'],
          phones: [
            {
              channel: 'rcs',
              provider: 'rbm',
              address: '+12075550123',
            },
            {
              channel: 'sms',
              provider: 'twilio',
              address: '+12075550123',
            },
            {
              channel: 'messengerA',
              provider: 'whatsapp',
              address: '+12075550123',
            },
            {
              channel: 'vendorMessages',
              provider: 'apple',
              address: 'urn:mbid:AQAAY0000002',
            },
          ],
          chatUrl: 'https://gateway.example/v4/webchat/demo.sample-clinic',
        },
        {
          orgId: 'demo',
          agentId: 'sample',
          name: 'Sample Harbor Hotel',
          mode: 'webhook',
          suggestions: ['Hello', 'Menu'],
          phones: [
            {
              channel: 'rcs',
              provider: 'rbm',
              address: '+15550100',
            },
            {
              channel: 'sms',
              provider: 'twilio',
              address: '+15550100',
            },
            {
              channel: 'messengerA',
              provider: 'whatsapp',
              address: '+15550100',
            },
            {
              channel: 'vendorMessages',
              provider: 'apple',
              address: 'urn:mbid:AQAAY0000001',
            },
          ],
          chatUrl: 'https://gateway.example/v4/webchat/demo.sample',
        },
      ],
      pollMs: 500,
      compileAfterMs: 250,
      pictureChars: 98304,
    },
  },
  'POST /system/emulator/stage/{agent}/phones/{channel}/_act': {
    params: {
      agent: 'sample',
      channel: 'sms',
    },
    body: {
      kind: 'text',
      text: 'Thank you',
    },
    status: 202,
    reply: {
      calls: 1,
      taken: true,
    },
  },
  'POST /system/emulator/stage/{agent}/_compile': {
    params: {
      agent: 'sample',
    },
    body: {
      aml: 'The **harbor** is open.',
    },
    status: 200,
    reply: {
      problems: [],
      warnings: [],
      message: {
        spec: 'amf/1',
        parts: [
          {
            type: 'text',
            text: 'The **harbor** is open.',
          },
        ],
      },
      renderings: {
        rcs: {
          blocks: [
            {
              kind: 'text',
              text: 'The harbor is open.',
            },
          ],
          loss: [],
        },
        vendorMessages: {
          blocks: [
            {
              kind: 'text',
              text: 'The harbor is open.',
            },
          ],
          loss: [],
        },
        messengerA: {
          blocks: [
            {
              kind: 'text',
              text: 'The *harbor* is open.',
            },
          ],
          loss: [],
        },
        sms: {
          blocks: [
            {
              kind: 'text',
              text: 'The harbor is open.',
            },
          ],
          loss: [],
          text: 'The harbor is open.',
          encoding: 'gsm7',
          units: 19,
          segments: 1,
        },
        webchat: {
          blocks: [
            {
              kind: 'text',
              text: 'The **harbor** is open.',
            },
          ],
          loss: [],
        },
        messengerB: {
          blocks: [
            {
              kind: 'text',
              text: 'The harbor is open.',
            },
          ],
          loss: [],
        },
        socialC: {
          blocks: [
            {
              kind: 'text',
              text: 'The harbor is open.',
            },
          ],
          loss: [],
        },
        workchatD: {
          blocks: [
            {
              kind: 'text',
              text: 'The *harbor* is open.',
            },
          ],
          loss: [],
        },
        aiChatE: {
          blocks: [
            {
              kind: 'text',
              text: 'The harbor is open.',
            },
          ],
          loss: [],
        },
      },
    },
  },
  'POST /system/emulator/stage/{agent}/_say': {
    params: {
      agent: 'sample',
    },
    body: {
      channel: 'sms',
      aml: 'The **harbor** is open.',
    },
    status: 200,
    reply: {
      accepted: true,
    },
  },
  'GET /system/emulator/stage/{agent}/news': {
    params: {
      agent: 'sample',
    },
    query: {
      sent: 2,
      acts: 1,
    },
    status: 200,
    reply: {
      phones: [
        {
          channel: 'rcs',
          isOffline: false,
          isLost: false,
          isOptedOut: false,
          sent: [],
          fares: [],
          refusals: [],
        },
        {
          channel: 'sms',
          isOffline: false,
          isLost: false,
          isOptedOut: false,
          sent: [
            {
              number: 3,
              account: 'sample-sms',
              providerId: 'SMf11ded6cb8a3601b6bb92ba966d63cb6',
              body: {
                Body: 'The harbor is open.',
                To: '+15550100',
                From: '+15552151724',
                StatusCallback: 'https://gateway.example/v4/ingress/cb_tg4hpm0788jvr7qwy22m6ff1j5',
              },
              at: 1772366405535,
            },
          ],
          fares: [
            {
              messageId: 'msg_h2j79yysz66ycapyqzhjw7bek6',
              at: 1772366404464,
              state: 'delivered',
              providerIds: ['SM0ed0bfb70daa0b13060ec8331112aed3'],
            },
            {
              messageId: 'msg_rgqf9hj9ms642b2cbj2zkfa6dq',
              at: 1772366404996,
              state: 'delivered',
              providerIds: ['SM6efd15ecde1abdf63b7a59a0531d91b8'],
            },
            {
              messageId: 'msg_5v3v6ycz664hhte4q2f7jss2ry',
              at: 1772366405530,
              state: 'delivered',
              providerIds: ['SMf11ded6cb8a3601b6bb92ba966d63cb6'],
            },
          ],
          refusals: [],
        },
        {
          channel: 'messengerA',
          isOffline: false,
          isLost: false,
          isOptedOut: false,
          sent: [],
          fares: [],
          refusals: [],
        },
        {
          channel: 'vendorMessages',
          isOffline: false,
          isLost: false,
          isOptedOut: false,
          sent: [],
          fares: [],
          refusals: [],
        },
      ],
      acts: [
        {
          number: 2,
          agentId: 'sample',
          channel: 'sms',
          at: 1772366404969,
          act: {
            kind: 'text',
            text: 'Thank you',
          },
        },
      ],
      chat: [],
    },
  },
  'POST /system/emulator/stage/{agent}/phones/{channel}/_picture': {
    params: {
      agent: 'sample',
      channel: 'messengerA',
    },
    body: {
      type: 'image/png',
      data: 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGOIa9zCE3eMgWWxQ870awAkIQWEH+N6GAAAAABJRU5ErkJggg==',
      name: 'harbor.png',
    },
    status: 202,
    reply: {
      calls: 1,
      taken: true,
    },
  },
}
