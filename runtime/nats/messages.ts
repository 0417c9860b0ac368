/** Messages of a stream: published with an acknowledgement, and read one by one from its leader. */
import type { JetStreamPublishOptions, MsgRequest, NextMsgRequest, StreamInfo } from '@nats-io/jetstream'
import { type MsgHdrs, MsgHdrsImpl } from '@nats-io/transport-node'
import { isRefused, parseReply, refusals } from './errors.js'
import { bus as limits } from './limits.js'
import type { Stream } from './stream.js'

/** Resolves with the number of the message, once a majority of the stream's servers has it. */
export function publishTo(
  stream: Stream,
  subject: string,
  body: Uint8Array,
  options?: Partial<JetStreamPublishOptions>,
): Promise<number> {
  return stream.publish(async ({ jetstream }) => (await jetstream.publish(subject, body, options)).seq)
}

export interface StoredMessage {
  readonly seq: number
  readonly subject: string
  /** When the servers stored it. */
  readonly at: number
  readonly data: Uint8Array
  readonly headers?: MsgHdrs
}

interface RawMessage {
  readonly seq: number
  readonly subject: string
  readonly time: string
  readonly data?: string
  readonly hdrs?: string
}

/**
 * The message of a number, the last of a subject, or the first of a subject from a number on, as the leader has it.
 * Does not use the library, which decodes base64 one character at a time: reading an object then takes half as much
 * processor time again.
 */
export async function readMessage(
  { name, request }: Stream,
  query: MsgRequest | NextMsgRequest,
): Promise<StoredMessage | undefined> {
  try {
    const { message } = await request(async ({ nats }) => {
      const options = { timeout: limits.requestMs }
      return parseReply<{ message: RawMessage }>(
        await nats.request(`$JS.API.STREAM.MSG.GET.${name}`, JSON.stringify(query), options),
      )
    })
    const { seq, subject, time, data = '', hdrs } = message
    const headers = hdrs === undefined ? undefined : MsgHdrsImpl.decode(Buffer.from(hdrs, 'base64'))
    return { seq, subject, at: Date.parse(time), data: Buffer.from(data, 'base64'), headers }
  } catch (error) {
    if (isRefused(error, refusals.noMessage)) return undefined
    throw error
  }
}

export function streamState({ name, request }: Stream): Promise<StreamInfo['state']> {
  return request(async ({ manager }) => (await manager.streams.info(name)).state)
}
