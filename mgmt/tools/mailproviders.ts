/** The mail providers: the request by which each sends a mail, as data. */
import { createHash } from 'node:crypto'
import type { Mail, Sender } from '../../core/tools/mail.js'
import type { MailProvider } from './port.js'

export interface MailAccount {
  readonly from: Sender
  readonly apiKey: string
  /** Of the account, where the provider asks for it. */
  readonly domain?: string
}

export interface ProviderRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface ProviderProtocol {
  /** One for each region in which the provider keeps accounts: another region rejects their keys. */
  readonly origins: readonly string[]
  readonly request: (account: MailAccount, mail: Mail) => ProviderRequest
}

export const mailProviders: Readonly<Record<MailProvider, ProviderProtocol>> = {
  sendgrid: {
    origins: ['https://api.sendgrid.com', 'https://api.eu.sendgrid.com'],
    request: ({ from, apiKey }, mail) => ({
      path: '/v3/mail/send',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        personalizations: [{ to: mail.to.map((email) => ({ email })) }],
        from: { email: from.address, ...(from.name !== undefined && { name: from.name }) },
        ...(mail.replyTo !== undefined && { reply_to: { email: mail.replyTo } }),
        subject: mail.subject,
        content: [{ type: 'text/plain', value: mail.text }],
        headers: { 'Message-ID': `<${mail.messageId}>` },
      }),
    }),
  },
  mailgun: {
    origins: ['https://api.mailgun.net', 'https://api.eu.mailgun.net'],
    request: ({ from, apiKey, domain = '' }, mail) => ({
      path: `/v3/${encodeURIComponent(domain)}/messages`,
      headers: {
        Authorization: `Basic ${Buffer.from(`api:${apiKey}`).toString('base64')}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: formOf([
        ['from', from.name === undefined ? from.address : `${quoted(from.name)} <${from.address}>`],
        ...mail.to.map((address) => ['to', address] as const),
        ['subject', mail.subject],
        ['text', mail.text],
        ...(mail.replyTo === undefined ? [] : [['h:Reply-To', mail.replyTo] as const]),
        ['h:Message-Id', `<${mail.messageId}>`],
      ]),
    }),
  },
}

/** A Message-ID from any id. */
export function messageIdOf(id: string, fromAddress: string): string {
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 32)
  return `${digest}@${fromAddress.slice(fromAddress.lastIndexOf('@') + 1)}`
}

function formOf(fields: readonly (readonly [name: string, value: string])[]): string {
  const form = new URLSearchParams()
  for (const [name, value] of fields) form.append(name, value)
  return form.toString()
}

function quoted(name: string): string {
  return `"${name.replace(/[\\"]/g, '\\$&').replace(/\p{Cc}/gu, ' ')}"`
}
