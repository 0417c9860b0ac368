/** Renders fitted sms blocks as Twilio messages: each block is the body of one message. */
import type { Block } from '../../../core/channel/blocks.js'
import { isRecord } from '../../../core/json.js'

/** The parameters of one message without recipient and sender. */
export type TwilioPayload = Readonly<Record<string, string | readonly string[]>>

export function render(blocks: readonly Block[]): readonly TwilioPayload[] {
  return blocks.map((block) => {
    if (block.kind === 'text') return { Body: block.text }
    if (block.kind === 'native') return parametersIn(block.payload)
    throw new Error(`the traits of sms have no ${block.kind}`)
  })
}

/** A native payload contains message parameters, such as `ContentSid`; forms have texts and lists of texts only. */
function parametersIn(payload: unknown): TwilioPayload {
  if (!isRecord(payload)) return { Body: asString(payload) }
  const entries = Object.entries(payload).map(([name, value]): [string, string | readonly string[]] => [
    name,
    Array.isArray(value) ? value.map(asString) : asString(value),
  ])
  return Object.fromEntries(entries)
}

function asString(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
