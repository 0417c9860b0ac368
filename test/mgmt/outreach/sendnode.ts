/** A node whose agents have an outreach and an rcs binding on the emulator, and calls about its sends. */

import type { Response } from '../../harness/node.js'
import { type AgentsFixture, type Call, openAgentsFixture } from '../agents/fixture.js'

export interface SendAgent {
  readonly id: string
  readonly call: Call
  /** Sends the outreach `hello`. */
  send(body: object, outreachId?: string): Promise<Response>
  read(sendId: string): Promise<Response>
  /** Lets time pass until the send is in that state. */
  waitForState(sendId: string, state: string): Promise<Response['json']>
}

export interface SendNode extends AgentsFixture {
  sender(more?: {
    readonly outreach?: object
    readonly template?: object
    readonly binding?: boolean
  }): Promise<SendAgent>
}

export async function openSendNode(options: Parameters<typeof openAgentsFixture>[0] = {}): Promise<SendNode> {
  const fixture = await openAgentsFixture(options)
  return {
    ...fixture,
    async sender({ outreach = {}, template = {}, binding = true } = {}) {
      const { id, call } = await fixture.agent()
      const callOk = async (method: string, path: string, json: unknown) => {
        const { status, json: answer } = await call(method, path, json)
        if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
      }
      await callOk('POST', '/message-templates', {
        id: 'hi',
        name: 'Hi',
        body: 'Hello {person.firstName|there}!',
        ...template,
      })
      await callOk('POST', '/outreach', {
        id: 'hello',
        name: 'Hello',
        class: 'service',
        openerTemplateId: 'hi',
        ...outreach,
      })
      if (binding) {
        await callOk('POST', '/channels', { channel: 'rcs', mode: 'unmanaged', provider: 'emulator', auth: {} })
      }
      const read = (sendId: string) => call('GET', `/outreach/sends/${sendId}`)
      return {
        id,
        call,
        read,
        send: (body, outreachId = 'hello') => call('POST', `/outreach/${outreachId}/sends`, body),
        async waitForState(sendId, state) {
          while ((await read(sendId)).json.state !== state) await fixture.node.clock.advance(20_000)
          return (await read(sendId)).json
        },
      }
    },
  }
}

let lastNumber = 0
/** A number that nobody had before. */
export const newNumber = (): string => `+1415555${String(1000 + lastNumber++).slice(-4)}`
