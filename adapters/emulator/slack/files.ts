/** Files that people share on Slack: served with the bot's token; without it Slack answers with a sign-in page. */
import type { Account, EmulatorAnswer, EmulatorContext, EmulatorRequest, ParsedCall, UserAct } from '../contract.js'
import { fileCall } from '../files.js'
import { bearer, safeEqual } from '../signature.js'

export const filesPath = '/files-pri/'

const signInPage: EmulatorAnswer = {
  status: 200,
  type: 'text/html',
  body: '<!DOCTYPE html><title>Sign in | Slack</title>',
}

export function readFile({ method, path, header }: EmulatorRequest, context: EmulatorContext): ParsedCall {
  const [, id = ''] = /^\/files-pri\/TEMULATED-(F[0-9A-F]+)\/[^/]+$/.exec(path) ?? []
  const token = bearer(header('authorization'))
  const account = context.accounts('slack').find((each) => safeEqual(token, each.auth.botToken as string))
  const file = account && context.fileOf(account, id)
  if (method !== 'GET' || !account) return signInPage
  return file ? { ...fileCall(account, file), unauthorized: signInPage } : { status: 404 }
}

/** The file object in a message event. */
export function fileOf(
  account: Account,
  address: string,
  { url, type, name = 'file' }: Extract<UserAct, { kind: 'media' }>,
  context: EmulatorContext,
) {
  const id = `F${context.newId(5).toUpperCase()}`
  context.saveFile(account, id, { address, url, type })
  const origin = String(account.auth.apiUrl).replace(/\/api$/, '')
  return { id, name, mimetype: type, url_private: `${origin}${filesPath}TEMULATED-${id}/${encodeURIComponent(name)}` }
}
