/** Requests between nodes: from one inbox to whoever serves the subject, in as many frames as it takes. */
import { randomBytes } from 'node:crypto'
import { bus as limits } from '../../core/limits.js'
import { NobodyListens, type Wire } from './contract.js'
import { type Frame, frameHeader, framesOf, openAssembly } from './frames.js'
import { type Message, noResponders } from './link.js'
import type { StreamHost } from './stream.js'
import { wireSubject } from './subject.js'

export function openNatsWire({ link, clock, log, inbox }: StreamHost): Wire {
  const assemblyLimits = { ...limits, messageBytes: limits.wireBytes }
  const assemble = openAssembly(assemblyLimits, () => clock.elapsed())
  const sender = randomBytes(12).toString('hex')
  let cut = 0

  const frameOf = ({ body, header }: Message): Frame => ({ body, header: header(frameHeader) })

  function send(subject: string, body: Uint8Array, replyTo?: string): void {
    const frameBytes = Math.min(limits.frameBytes, link.server().payloadBytes - limits.headerBytes)
    for (const frame of framesOf(body, frameBytes, () => `${sender}-${cut++}`)) {
      link.send(subject, frame.body, replyTo, frame.header === undefined ? undefined : { [frameHeader]: frame.header })
    }
  }

  return {
    async request(subject, body, withinMs) {
      const to = wireSubject(subject)
      checkLength(body)
      return new Promise((resolve, reject) => {
        const heard = (message: Message) => {
          const isNobody = message.status === noResponders
          const whole = isNobody ? undefined : assemble(frameOf(message))
          if (!isNobody && !whole) return
          address.close()
          if (whole) resolve(whole)
          else reject(new NobodyListens(`Nobody listens to ${subject}.`))
        }
        const address = inbox.open(withinMs, heard, reject)
        try {
          send(to, body, address.replyTo)
        } catch (error) {
          address.close()
          reject(error)
        }
      })
    },

    serve(subject, answer) {
      const reply = async (body: Uint8Array, replyTo: string) => {
        try {
          const answered = await answer(body)
          checkLength(answered)
          send(replyTo, answered)
        } catch (error) {
          log.warn('bus.request.unanswered', { subject, error })
        }
      }
      return link.hear(wireSubject(subject), (message) => {
        const whole = assemble(frameOf(message))
        if (whole && message.replyTo) void reply(whole, message.replyTo)
      })
    },
  }
}

function checkLength(body: Uint8Array): void {
  if (body.length > limits.wireBytes) {
    throw new RangeError(`a message of ${body.length} bytes is longer than the ${limits.wireBytes} that travel`)
  }
}
