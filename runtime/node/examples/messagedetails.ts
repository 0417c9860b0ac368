/** Recorded requests and responses of message details on the emulator page, for the OpenAPI document. */

import { traitsOf } from '../../../core/channel/channeltraits.js'
import { capabilitiesOf } from '../../../core/render/capabilities.js'
import type { RouteExamples } from '../../http/examples.js'

const ofSms = capabilitiesOf(traitsOf('sms'), 'twilio')

export const messageDetails: RouteExamples = {
  'GET /system/emulator/stage/{agent}/acts/{number}': {
    params: {
      agent: 'sample',
      number: '2',
    },
    status: 200,
    reply: {
      number: 2,
      agentId: 'sample',
      channel: 'sms',
      at: 1772366404969,
      act: {
        kind: 'text',
        text: 'Thank you',
      },
      records: [
        {
          at: 1772366404983,
          origin: 'user',
          sessionId: 'ses_yca7w7kng3d6kp2y1q2pee61ha',
          messageId: 'inb_w68aw926m76jvpnqb2q6gn3kka',
          channelMessageId: 'SMc33c7930a42446d90334e66df7dff628',
          type: 'content',
          text: 'Thank you',
          raw: {
            text: 'Thank you',
          },
        },
      ],
      events: [
        {
          spec: 'amf/1',
          instanceId: 'sample',
          userId: 'usr_3hpgcckb12qbqe2v9358jx3p3j',
          event: {
            spec: 'amf/1',
            eventId: 'evt_e9kng0t13vwpkyab011pyssy90',
            timestamp: '2026-03-01T12:00:04.983Z',
            conversation: {
              userId: 'usr_3hpgcckb12qbqe2v9358jx3p3j',
              sessionId: 'ses_yca7w7kng3d6kp2y1q2pee61ha',
            },
            context: {
              channel: 'sms',
              provider: 'twilio',
              capabilities: ofSms,
              window: {
                state: 'open',
              },
            },
            event: {
              type: 'message',
              message: {
                text: 'Thank you',
              },
            },
          },
          mode: 'webhook',
        },
      ],
      answers: ['You said “Thank you”.\n\n[[ask.choice #menu | What would you like to see?\nrooms = See the rooms\n]]'],
      refusals: [],
    },
  },
  'GET /system/emulator/stage/{agent}/phones/{channel}/messages/{name}': {
    params: {
      agent: 'sample',
      channel: 'sms',
      name: 'SMf11ded6cb8a3601b6bb92ba966d63cb6',
    },
    status: 200,
    reply: {
      messageId: 'msg_5v3v6ycz664hhte4q2f7jss2ry',
      message: {
        spec: 'amf/1',
        parts: [
          {
            type: 'text',
            text: 'The **harbor** is open.',
          },
        ],
      },
      attempt: {
        channel: 'sms',
        provider: 'twilio',
      },
      states: {
        delivered: 1772366405639,
        sent: 1772366405540,
      },
      providerIds: ['SMf11ded6cb8a3601b6bb92ba966d63cb6'],
      records: [
        {
          at: 1772366405530,
          origin: 'agent',
          type: 'content',
          sessionId: 'ses_yca7w7kng3d6kp2y1q2pee61ha',
          messageId: 'msg_5v3v6ycz664hhte4q2f7jss2ry',
          text: 'The **harbor** is open.',
        },
        {
          at: 1772366405540,
          origin: 'agent',
          type: 'status',
          subtype: 'sent',
          sessionId: 'ses_yca7w7kng3d6kp2y1q2pee61ha',
          messageId: 'msg_5v3v6ycz664hhte4q2f7jss2ry',
          raw: {
            messageId: 'msg_5v3v6ycz664hhte4q2f7jss2ry',
            state: 'sent',
            attempt: {
              channel: 'sms',
              provider: 'twilio',
            },
          },
        },
        {
          at: 1772366405639,
          origin: 'agent',
          type: 'status',
          subtype: 'delivered',
          sessionId: 'ses_yca7w7kng3d6kp2y1q2pee61ha',
          messageId: 'msg_5v3v6ycz664hhte4q2f7jss2ry',
          raw: {
            messageId: 'msg_5v3v6ycz664hhte4q2f7jss2ry',
            state: 'delivered',
            attempt: {
              channel: 'sms',
              provider: 'twilio',
            },
          },
        },
      ],
      wires: [
        {
          Body: 'The harbor is open.',
          To: '+15550100',
          From: '+15552151724',
          StatusCallback: 'https://gateway.example/v4/ingress/cb_tg4hpm0788jvr7qwy22m6ff1j5',
        },
      ],
      events: [
        {
          spec: 'amf/1',
          instanceId: 'sample',
          userId: 'usr_3hpgcckb12qbqe2v9358jx3p3j',
          event: {
            spec: 'amf/1',
            eventId: 'evt_dfsg8fkvjpgh2p965c5k3g84xw',
            timestamp: '2026-03-01T12:00:05.540Z',
            conversation: {
              userId: 'usr_3hpgcckb12qbqe2v9358jx3p3j',
              sessionId: 'ses_yca7w7kng3d6kp2y1q2pee61ha',
            },
            context: {
              channel: 'sms',
              provider: 'twilio',
              capabilities: ofSms,
              window: {
                state: 'open',
              },
            },
            event: {
              type: 'status',
              status: {
                messageId: 'msg_5v3v6ycz664hhte4q2f7jss2ry',
                state: 'sent',
                attempt: {
                  channel: 'sms',
                  provider: 'twilio',
                },
              },
            },
          },
          mode: 'webhook',
        },
        {
          spec: 'amf/1',
          instanceId: 'sample',
          userId: 'usr_3hpgcckb12qbqe2v9358jx3p3j',
          event: {
            spec: 'amf/1',
            eventId: 'evt_phkws4rnw7zmnzqyr6751jz9wt',
            timestamp: '2026-03-01T12:00:05.639Z',
            conversation: {
              userId: 'usr_3hpgcckb12qbqe2v9358jx3p3j',
              sessionId: 'ses_yca7w7kng3d6kp2y1q2pee61ha',
            },
            context: {
              channel: 'sms',
              provider: 'twilio',
              capabilities: ofSms,
              window: {
                state: 'open',
              },
            },
            event: {
              type: 'status',
              status: {
                messageId: 'msg_5v3v6ycz664hhte4q2f7jss2ry',
                state: 'delivered',
                attempt: {
                  channel: 'sms',
                  provider: 'twilio',
                },
              },
            },
          },
          mode: 'webhook',
        },
      ],
    },
  },
}
