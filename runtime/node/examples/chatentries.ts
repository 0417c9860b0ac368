/**
 * Recorded requests and responses of transcript entries of the web chat on the emulator page, for the OpenAPI document.
 */
import type { RouteExamples } from '../../http/examples.js'

export const chatEntries: RouteExamples = {
  'GET /system/emulator/stage/{agent}/chat/lines/{cursor}': {
    params: {
      agent: 'sample',
      cursor: '3',
    },
    status: 200,
    reply: {
      cursor: 3,
      at: 1772366408338,
      wires: [
        {
          v: 1,
          type: 'said',
          cursor: 3,
          id: 'e5af6ef2d5f55f86fcfcbec4d68d314e',
          at: '2026-03-01T12:00:08.338Z',
          text: 'Thank you',
        },
      ],
      records: [
        {
          at: 1772366408338,
          origin: 'user',
          sessionId: 'ses_hk48tjqz50jmaetzzyf1g6tm55',
          messageId: 'inb_z1ps09dj84mx346f1vte98t9k1',
          channelMessageId: 'e5af6ef2d5f55f86fcfcbec4d68d314e',
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
          userId: 'usr_sdnepqwhsrxghn0hf8mkkcnty7',
          event: {
            spec: 'amf/1',
            eventId: 'evt_40k0pr7jwa8twekzsdtsq67n6n',
            timestamp: '2026-03-01T12:00:08.338Z',
            conversation: {
              userId: 'usr_sdnepqwhsrxghn0hf8mkkcnty7',
              sessionId: 'ses_hk48tjqz50jmaetzzyf1g6tm55',
            },
            context: {
              channel: 'webchat',
              provider: 'webchat',
              capabilities: {
                channel: 'webchat',
                provider: 'webchat',
                parts: {
                  text: 'native',
                  media: 'native',
                  card: 'native',
                  carousel: 'native',
                  'ask.choice': 'native',
                  'ask.time': 'native',
                  confirm: 'native',
                  showcase: 'native',
                  'ask.location': 'native',
                  'share.event': 'native',
                  'share.place': 'native',
                  'share.contact': 'text',
                  native: 'native',
                },
                chips: {
                  kinds: ['reply', 'url', 'dial', 'calendar', 'viewLocation', 'shareLocation'],
                  max: 13,
                  labelMax: 40,
                },
                carousel: {
                  min: 1,
                  max: 10,
                },
                card: {
                  titleMax: 200,
                  descriptionMax: 2000,
                  chipsMax: 4,
                },
                text: {
                  max: 10000,
                  encoding: 'unicode',
                  segments: false,
                },
                media: {
                  types: [
                    'image/jpeg',
                    'image/png',
                    'image/gif',
                    'image/webp',
                    'video/mp4',
                    'video/webm',
                    'audio/mpeg',
                    'audio/mp4',
                    'audio/ogg',
                    'application/pdf',
                    'application/msword',
                    'application/vnd.ms-excel',
                    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
                    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
                    'text/plain',
                  ],
                  maxBytes: 10000000,
                },
                receipts: {
                  delivered: true,
                  read: true,
                },
                typing: true,
                window: {
                  hours: null,
                },
              },
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
    },
  },
}
