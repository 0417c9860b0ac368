/** Emulates the incoming webhook of a chat, as Slack has it: the address is the secret, and errors are one word. */
import { isRecord, parseJson } from '../../../core/json.js'
import type { Account, EmulatedProvider, EmulatorAnswer, EmulatorRequest } from '../contract.js'
import { anything, flag, type JsonObject, list, type Shape, text } from '../shape.js'
import { safeEqual } from '../signature.js'
import { receiver } from './receiver.js'

const urlOf = (account: Account) => String(account.auth.webhookUrl)
const word = (status: number, body: string): EmulatorAnswer => ({ status, type: 'text/html', body })
const textMax = 40_000

/** Any other member is ignored, as Slack's own SDK relies on. */
const members: Readonly<Record<string, Shape>> = {
  text: text({ min: 0, max: textMax }),
  blocks: list(anything, { max: 50 }),
  attachments: list(anything, { max: 100 }),
  username: text(),
  icon_emoji: text(),
  icon_url: text(),
  channel: text(),
  link_names: flag,
  mrkdwn: flag,
  response_type: text(),
  replace_original: flag,
  delete_original: flag,
  thread_ts: text(),
  unfurl_links: flag,
  unfurl_media: flag,
  metadata: anything,
}

export const chathook: EmulatedProvider = {
  ...receiver,
  name: 'chathook',
  prefix: 'chathook',
  /** The webhook writes to one channel. */
  address: () => channel,

  credentials(mint, { httpUrl }) {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
    const path = `T${mint('team', 8, letters)}/B${mint('bot', 10, letters)}/${mint('token', 24)}`
    return { webhookUrl: `${httpUrl}/chathook/services/${path}` }
  },

  read(request, context) {
    if (request.method !== 'POST') return word(405, 'method_not_allowed')
    const accounts = context.accounts('chathook')
    const account = accounts.find((each) => safeEqual(request.path, pathOf(urlOf(each))))
    if (!account) return refuseAddress(request.path, accounts)
    const body = bodyOf(request)
    if (!isRecord(body) || !isPayload(body)) return word(400, 'invalid_payload')
    if (![body.text, body.blocks, body.attachments].some(isPresent)) return word(400, 'no_text')
    return {
      account,
      address: channel,
      kind: 'message',
      async perform(accept) {
        await accept(context.newId(8), body, [])
        return word(200, 'ok')
      },
    }
  },

  refusal(status, retryAfter) {
    const wait = retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }
    return { ...word(status, words[status] ?? 'rollup_error'), ...wait }
  },
}

const channel = 'team'
const words: Readonly<Record<number, string>> = { 401: 'invalid_token', 404: 'no_service', 429: 'rate_limited' }

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/^\/chathook/, '')
}

/** A known team and bot with a wrong token is another error than one that does not exist. */
function refuseAddress(path: string, accounts: readonly Account[]): EmulatorAnswer {
  const ofBot = (each: string) => each.split('/').slice(0, -1).join('/')
  const isKnown = accounts.some((each) => ofBot(pathOf(urlOf(each))) === ofBot(path))
  return isKnown ? word(403, 'invalid_token') : word(404, 'no_service')
}

/** JSON as the body, or as the one field of a form. */
function bodyOf({ header, body }: EmulatorRequest): unknown {
  const isForm = header('content-type').startsWith('application/x-www-form-urlencoded')
  return parseJson(isForm ? (new URLSearchParams(body.toString()).get('payload') ?? '') : body)
}

function isPayload(body: JsonObject): boolean {
  return Object.keys(members).every((name) => body[name] === undefined || !members[name]!(body[name], name))
}

function isPresent(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== ''
}
