/** The Slack adapter. Slack has neither receipts nor signals: acceptance is the last known state of a message. */
import type { Adapter } from '../../../core/channel/adapter.js'
import { descriptor, type SlackAuth } from './descriptor.js'
import { openMedia } from './media.js'
import { receive } from './receive.js'
import { render, type SlackPayload } from './render.js'
import { send } from './send.js'

export const slackAdapter: Adapter<SlackAuth, SlackPayload> = {
  descriptor,
  render,
  send,
  receive,
  openMedia,
  validateAuth: ({ botToken }) =>
    /^xoxb-[\x21-\x7e]+$/.test(botToken)
      ? undefined
      : { field: 'botToken', message: 'must be the token of the bot user, which begins with xoxb-' },
}
