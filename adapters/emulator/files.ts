/** Files that people sent, as their provider hands them over to the account that they were sent to. */
import type { Account, EmulatorAnswer, PersonCall, SentFile } from './contract.js'

/** A fault that is for all calls is for this one, too. */
export function fileCall(account: Account, file: SentFile, answer: EmulatorAnswer = fileAnswer(file)): PersonCall {
  return { account, address: file.address, what: 'other', perform: () => answer }
}

/** The bytes where we have them; otherwise the way to where they are, as providers do that keep files apart. */
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
