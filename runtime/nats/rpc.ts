/** Requests between nodes: from an inbox to the servers of a subject, cut into frames. */
import { randomBytes } from 'node:crypto'
import { headers as createHeaders, type Msg } from '@nats-io/transport-node'
import { callSafely } from './connection.js'
import { NoResponders, type Rpc } from './contract.js'
import { noResponders } from './errors.js'
import { createAssembly, type Frame, frameHeader, framesOf } from './frames.js'
import { bus as limits } from './limits.js'
import type { StreamContext } from './stream.js'
import { rpcSubject } from './subjects.js'

export function createRpc({ connection, inbox, clock, log }: StreamContext): Rpc {
  const { nats } = connection.clients
  const assemble = createAssembly(limits, () => clock.monotonic())
  const sender = randomBytes(12).toString('hex')
  let longMessages = 0

  function send(subject: string, body: Uint8Array, reply?: string): void {
    const frameBytes = Math.min(limits.frameBytes, connection.server().payloadBytes - limits.headerBytes)
    for (const frame of framesOf(body, frameBytes, () => `${sender}-${longMessages++}`)) {
      nats.publish(subject, frame.body, { reply, headers: headersOf(frame) })
    }
  }

  return {
    async request(subject, body, withinMs) {
      const to = rpcSubject(subject)
      checkLength(body)
      const parse = (message: Msg) => {
        if (message.headers?.code === noResponders) throw new NoResponders(`No node serves ${subject}.`)
        return assemble(frameOf(message))
      }
      return inbox.request(withinMs, (reply) => send(to, body, reply), parse)
    },

    serve(subject, answer) {
      const respond = async (body: Uint8Array, reply: string) => {
        try {
          const answerBody = await answer(body)
          checkLength(answerBody)
          send(reply, answerBody)
        } catch (error) {
          log.warn('bus.request.unanswered', { subject, error })
        }
      }
      const handle = (message: Msg) => {
        const assembled = assemble(frameOf(message))
        if (assembled && message.reply) void respond(assembled, message.reply)
      }
      const subscription = nats.subscribe(rpcSubject(subject), {
        callback(error, message) {
          if (!error) callSafely(log, () => handle(message))
        },
      })
      return () => subscription.unsubscribe()
    },
  }
}

function frameOf({ data, headers }: Msg): Frame {
  return { body: data, header: headers?.get(frameHeader) }
}

function headersOf({ header }: Frame) {
  if (header === undefined) return undefined
  const headers = createHeaders()
  headers.set(frameHeader, header)
  return headers
}

function checkLength(body: Uint8Array): void {
  if (body.length > limits.messageBytes) {
    throw new RangeError(`a message of ${body.length} bytes is longer than the ${limits.messageBytes} that travel`)
  }
}
