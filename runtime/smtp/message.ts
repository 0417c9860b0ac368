/** A plain mail in the form that mail servers take. */
import type { Mail, Sender } from '../../core/tools/mail.js'

const lineBytes = 76
/** Of text in one encoded word, which takes 4/3 of it and may have 75 characters. */
const wordBytes = 45

export function formatMail(from: Sender, mail: Mail, at: number): string {
  const headers = [
    `From: ${addressOf(from)}`,
    `To: ${mail.to.map((address) => addressOf({ address })).join(', ')}`,
    ...(mail.replyTo === undefined ? [] : [`Reply-To: ${addressOf({ address: mail.replyTo })}`]),
    `Subject: ${encodeWords(mail.subject)}`,
    `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${plainAddress(mail.messageId)}>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
  ]
  return [...headers, '', ...base64Lines(mail.text.replace(/\r?\n/g, '\r\n')), ''].join('\r\n')
}

/** Without what would end an address or a line. */
export function plainAddress(address: string): string {
  return address.replace(/[\s<>\p{Cc}]/gu, '')
}

function addressOf({ address, name }: Sender): string {
  const plain = `<${plainAddress(address)}>`
  return name ? `${encodeWords(name)} ${plain}` : plain
}

/** Plain ASCII stays legible; any other text is encoded, and no text can begin another header. */
function encodeWords(text: string): string {
  if (/^[A-Za-z0-9 .,!?'-]{0,60}$/.test(text)) return text
  const words = ['']
  for (const char of text.replace(/\p{Cc}/gu, ' ')) {
    if (Buffer.byteLength(words.at(-1)! + char) > wordBytes) words.push('')
    words[words.length - 1] += char
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ')
}

/** No line begins with a dot, which would end the mail. */
function base64Lines(text: string): string[] {
  const encoded = Buffer.from(text).toString('base64')
  return Array.from({ length: Math.ceil(encoded.length / lineBytes) }, (_, index) =>
    encoded.slice(index * lineBytes, (index + 1) * lineBytes),
  )
}
