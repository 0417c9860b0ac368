/** Media that people send on WhatsApp: by its id the API says where it is, and there it opens with the same token. */
import type { Account, Deed, Desk, Understood, WireRequest } from '../contract.js'
import { fileCall } from '../files.js'
import { badToken, holdsToken } from './graph.js'

const idForm = /^\/(v\d+\.\d+|files)\/(\d+)$/

/** Undefined for what is not about a file that anybody sent. */
export function readFile(request: WireRequest, desk: Desk): Understood | undefined {
  const [, where, id = ''] = (request.method === 'GET' && idForm.exec(request.path)) || []
  const account = desk.accounts('whatsapp').find((each) => desk.fileOf(each, id))
  const file = account && desk.fileOf(account, id)
  if (!file) return undefined
  if (!holdsToken(request, account)) return badToken
  if (where === 'files') return fileCall(account, file)
  const body = {
    messaging_product: 'whatsapp',
    id,
    url: `${account.auth.apiUrl}/files/${id}`,
    mime_type: file.type,
    sha256: desk.newId(32),
  }
  return fileCall(account, file, { status: 200, body })
}

/** As a message tells of it. */
export function fileOf(
  account: Account,
  address: string,
  { url, type, name }: Extract<Deed, { kind: 'media' }>,
  desk: Desk,
) {
  const id = String(Number.parseInt(desk.newId(6), 16))
  desk.keepFile(account, id, { address, url, type })
  const kind = ['image', 'video', 'audio'].find((each) => type.startsWith(each)) ?? 'document'
  const file = { id, mime_type: type, sha256: desk.newId(32) }
  return { type: kind, [kind]: { ...file, ...(kind === 'document' && { filename: name ?? 'file' }) } }
}
