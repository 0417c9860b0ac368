/** Emulates Mailgun: mail as a form, of either content type. */
import type { Account, EmulatedProvider, EmulatorAnswer } from '../contract.js'
import { safeEqual } from '../signature.js'
import { type Form, readForm } from './form.js'
import { mailAddress, receiver } from './receiver.js'

interface Auth {
  readonly apiKey: string
  readonly domain: string
}
const authOf = (account: Account) => account.auth as unknown as Auth

const forbidden: EmulatorAnswer = { status: 401, type: 'text/plain', body: 'Forbidden' }
const failure = (status: number, message: string): EmulatorAnswer => ({ status, body: { message } })

/** Options begin with a letter and a colon. The emulator refuses any other name that Mailgun does not know. */
const fields = new Set(
  'from to cc bcc subject text html amp-html attachment inline template recipient-variables'.split(' '),
)
const option = /^[ohvt]:[A-Za-z0-9-]+$/

export const mailgun: EmulatedProvider = {
  ...receiver,
  name: 'mailgun',
  prefix: 'mailgun',
  address: (text) => text.trim().toLowerCase(),

  credentials(mint, { httpUrl }) {
    const hex = '0123456789abcdef'
    return {
      apiKey: `${mint('key', 32, hex)}-${mint('region', 8, hex)}-${mint('check', 8, hex)}`,
      domain: `sandbox${mint('domain', 32, hex)}.mailgun.org`,
      apiUrl: `${httpUrl}/mailgun`,
    }
  },

  read(request, context) {
    const [, domain] = /^\/v3\/([^/]+)\/messages$/.exec(request.path) ?? []
    if (domain === undefined || request.method !== 'POST') return failure(404, 'Not Found')
    const given = request.header('authorization')
    const account = context.accounts('mailgun').find((each) => safeEqual(given, basicOf(authOf(each).apiKey)))
    if (!account) return forbidden
    if (decodeURIComponent(domain) !== authOf(account).domain) return failure(404, `Domain not found: ${domain}`)
    const form = readForm(request.header('content-type'), request.body)
    if (!form) return failure(400, 'The content type is no form')
    const problem = formProblem(form)
    if (problem !== undefined) return failure(400, problem)
    const [to = ''] = addressesOf(form, 'to')
    return {
      account,
      address: mailgun.address(to),
      kind: 'message',
      async perform(accept) {
        const [id = `<${context.newId(16)}@${authOf(account).domain}>`] = form['h:Message-Id'] ?? []
        await accept(id, form, [])
        return { status: 200, body: { id, message: 'Queued. Thank you.' } }
      },
    }
  },

  refusal(status, retryAfter) {
    if (status === 401) return forbidden
    const wait = retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }
    return { ...failure(status, status === 429 ? 'Too Many Requests' : 'Internal Server Error'), ...wait }
  },
}

function basicOf(apiKey: string): string {
  return `Basic ${Buffer.from(`api:${apiKey}`).toString('base64')}`
}

function formProblem(form: Form): string | undefined {
  const unknown = Object.keys(form).find((name) => !fields.has(name) && !option.test(name))
  if (unknown !== undefined) return `${unknown} is not a parameter`
  for (const name of ['from', 'to']) {
    const addresses = addressesOf(form, name)
    if (addresses.length === 0) return `${name} parameter is missing`
    if (!addresses.every((address) => mailAddress.test(address))) {
      return `${name} parameter is not a valid address. please check documentation`
    }
  }
  const hasBody = ['text', 'html', 'template'].some((name) => form[name] !== undefined)
  return hasBody ? undefined : "Need at least one of 'text' or 'html' parameters specified"
}

/** `Bob <bob@example.com>, ann@example.com`: one or more in each field of the name. */
function addressesOf(form: Form, name: string): string[] {
  return (form[name] ?? []).flatMap((list) =>
    list.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((each) => /<([^<>]*)>\s*$/.exec(each)?.[1] ?? each.trim()),
  )
}
