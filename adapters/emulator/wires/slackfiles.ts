/** Files that people share on Slack: at their address with the token of the bot, and a page to sign in without it. */
import type { Account, Deed, Desk, Understood, WireAnswer, WireRequest } from '../contract.js'
import { fileCall } from '../files.js'
import { bearer, same } from '../sign.js'

export const filesPath = '/files-pri/'

const signIn: WireAnswer = { status: 200, type: 'text/html', body: '<!DOCTYPE html><title>Sign in | Slack</title>' }

export function fileRead({ method, path, header }: WireRequest, desk: Desk): Understood {
  const [, id = ''] = /^\/files-pri\/TEMULATED-(F[0-9A-F]+)\/[^/]+$/.exec(path) ?? []
  const given = bearer(header('authorization'))
  const account = desk.accounts('slack').find((each) => same(given, each.auth.botToken as string))
  const file = account && desk.fileOf(account, id)
  if (method !== 'GET' || !account) return signIn
  return file ? { ...fileCall(account, file), unauthorized: signIn } : { status: 404 }
}

/** As a message tells of it. */
export function fileOf(
  account: Account,
  address: string,
  { url, type, name = 'file' }: Extract<Deed, { kind: 'media' }>,
  desk: Desk,
) {
  const id = `F${desk.newId(5).toUpperCase()}`
  desk.keepFile(account, id, { address, url, type })
  const home = String(account.auth.apiUrl).replace(/\/api$/, '')
  return { id, name, mimetype: type, url_private: `${home}${filesPath}TEMULATED-${id}/${encodeURIComponent(name)}` }
}
