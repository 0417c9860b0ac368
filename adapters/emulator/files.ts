/** Files that people sent, served by the emulated provider to the account that received them. */
import type { Account, EmulatorAnswer, PersonCall, SentFile } from './contract.js'

/** Only faults with `allCalls` apply to this call. */
export function fileCall(account: Account, file: SentFile, answer: EmulatorAnswer = fileAnswer(file)): PersonCall {
  return { account, address: file.address, kind: 'other', perform: () => answer }
}

/**
 * Answers with the bytes of a `data:` URL; otherwise redirects, as providers do whose files have a host of their own.
 */
function fileAnswer({ url, type }: SentFile): EmulatorAnswer {
  const [, encoding, data] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url) ?? []
  if (data !== undefined) return { status: 200, type, body: encoding ? Buffer.from(data, 'base64') : decodePlain(data) }
  return /^https?:/.test(url) && URL.canParse(url)
    ? { status: 302, headers: { location: new URL(url).href } }
    : { status: 404 }
}

function decodePlain(data: string): Buffer {
  try {
    return Buffer.from(decodeURIComponent(data))
  } catch {
    return Buffer.from(data)
  }
}
