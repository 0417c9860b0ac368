/** Recorded requests and responses of emulated providers and phones, for the OpenAPI document. */
import type { RouteExamples } from '../../http/examples.js'

export const emulator: RouteExamples = {
  'PUT /system/emulator/bindings/{bindingId}/refusal': {
    params: {
      bindingId: 'cb_48bc1rkr33w1qma0t2dm6w0es3',
    },
    body: {
      address: '+14155550102',
      refusal: {
        reason: 'invalidAddress',
        again: 'never',
      },
    },
    status: 200,
    reply: {
      address: '+14155550102',
      refusal: {
        reason: 'invalidAddress',
        again: 'never',
      },
    },
  },
  'GET /system/emulator/shown': {
    query: {
      after: 0,
      bindingId: 'cb_48bc1rkr33w1qma0t2dm6w0es3',
      address: '+14155550101',
    },
    status: 200,
    reply: {
      data: [
        {
          number: 1,
          providerId: 'emu-msg_01kjmma4ega922da86fery7hjh.0',
          bindingId: 'cb_48bc1rkr33w1qma0t2dm6w0es3',
          address: '+14155550101',
          wire: {
            block: {
              kind: 'text',
              text: 'Hello there, the terrace is open again.',
            },
          },
        },
        {
          number: 4,
          providerId: 'emu-msg_01kjmmftjmpbpj3rfe36kpse3g.0',
          bindingId: 'cb_48bc1rkr33w1qma0t2dm6w0es3',
          address: '+14155550101',
          wire: {
            block: {
              kind: 'text',
              text: 'Hello Ada, the terrace is open again.',
            },
          },
        },
      ],
    },
  },
  'GET /system/emulator/providers': {
    status: 200,
    reply: {
      running: true,
      httpUrl: 'http://127.0.0.1:8082',
      smppPort: 8083,
    },
  },
  'POST /system/emulator/accounts': {
    body: {
      wire: 'whatsapp',
      id: 'shop',
    },
    status: 201,
    reply: {
      id: 'shop',
      wire: 'whatsapp',
      auth: {
        phoneNumberId: '197330955879216',
        accessToken: 'EAA0a0token0that0opens0nothing',
        appSecret: '0123456789abcdef0123456789abcdef',
        verifyToken: 'a0word0that0is0asked0for',
        apiUrl: 'http://127.0.0.1:8082/graph',
      },
      reads: true,
    },
  },
  'PATCH /system/emulator/accounts/{accountId}': {
    params: {
      accountId: 'shop',
    },
    body: {
      ingressUrl: 'https://gateway.example/v4/ingress/cb_cz0x2dq9d80mnchpr913fnh2k6',
    },
    status: 200,
    reply: {
      id: 'shop',
      wire: 'whatsapp',
      auth: {
        phoneNumberId: '197330955879216',
        accessToken: 'EAA0a0token0that0opens0nothing',
        appSecret: '0123456789abcdef0123456789abcdef',
        verifyToken: 'a0word0that0is0asked0for',
        apiUrl: 'http://127.0.0.1:8082/graph',
      },
      reads: true,
      ingressUrl: 'https://gateway.example/v4/ingress/cb_cz0x2dq9d80mnchpr913fnh2k6',
    },
  },
  'POST /system/emulator/accounts/{accountId}/_greet': {
    params: {
      accountId: 'shop',
    },
    status: 200,
    reply: {
      outcome: 'taken',
    },
  },
  'POST /system/emulator/accounts/{accountId}/_act': {
    params: {
      accountId: 'shop',
    },
    body: {
      address: '+14155550101',
      act: {
        kind: 'text',
        text: 'Is a room free tonight?',
      },
    },
    status: 202,
    reply: {
      calls: 1,
      taken: true,
    },
  },
  'POST /system/emulator/bindings/{bindingId}/_act': {
    params: {
      bindingId: 'cb_n9hjbngrwqd7jtr84f19bfp810',
    },
    body: {
      items: [
        {
          id: 'said-1',
          from: '+14155550101',
          text: 'Is a room free tonight?',
        },
      ],
    },
    status: 202,
    reply: {
      accepted: true,
    },
  },
  'POST /system/emulator/faults': {
    body: {
      account: 'shop',
      kind: 'rateLimited',
      retryAfterSeconds: 5,
      times: 3,
    },
    status: 201,
    reply: {
      account: 'shop',
      kind: 'rateLimited',
      retryAfterSeconds: 5,
      times: 3,
      id: 'fault-1',
    },
  },
  'GET /system/emulator/faults': {
    status: 200,
    reply: {
      data: [
        {
          account: 'shop',
          kind: 'rateLimited',
          retryAfterSeconds: 5,
          times: 3,
          id: 'fault-1',
        },
      ],
    },
  },
  'DELETE /system/emulator/faults/{faultId}': {
    params: {
      faultId: 'fault-1',
    },
    status: 204,
  },
  'POST /system/emulator/tickets': {
    status: 201,
    reply: {
      ticket: 'ep1.1772452800000.a0ticket0that0opens0the0page',
    },
  },
  'GET /system/emulator/sent': {
    query: {
      after: 2,
      account: 'sample-sms',
    },
    status: 200,
    reply: {
      data: [
        {
          account: 'sample-sms',
          wire: 'twilio',
          address: '+15550100',
          providerId: 'SMf11ded6cb8a3601b6bb92ba966d63cb6',
          body: {
            Body: 'The harbor is open.',
            To: '+15550100',
            From: '+15552151724',
            StatusCallback: 'https://gateway.example/v4/ingress/cb_tg4hpm0788jvr7qwy22m6ff1j5',
          },
          at: 1772366405535,
          number: 3,
        },
      ],
    },
  },
  'GET /system/emulator/accounts': {
    status: 200,
    reply: {
      data: [
        {
          id: 'sample-sms',
          wire: 'twilio',
          auth: {
            accountSid: 'AC00000000000000000000000000000001',
            authToken: 'fedcba9876543210fedcba9876543210',
            from: '+15552151724',
            apiUrl: 'http://127.0.0.1:8082/twilio',
          },
          reads: true,
          ingressUrl: 'https://gateway.example/v4/ingress/cb_tg4hpm0788jvr7qwy22m6ff1j5',
        },
      ],
    },
  },
  'DELETE /system/emulator/accounts/{accountId}': {
    params: {
      accountId: 'shop',
    },
    status: 204,
  },
}
