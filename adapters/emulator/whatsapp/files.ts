/** Media that people send on WhatsApp: the API resolves an id to a URL, and that URL needs the same token. */
import type { Account, EmulatorContext, EmulatorRequest, ParsedCall, UserAct } from '../contract.js'
import { fileCall } from '../files.js'
import { badToken, hasToken } from '../messenger/graph.js'

const idForm = /^\/(v\d+\.\d+|files)\/(\d+)$/

/** Undefined for a request that is not about a file of a person. */
export function readFile(request: EmulatorRequest, context: EmulatorContext): ParsedCall | undefined {
  const [, resource, id = ''] = (request.method === 'GET' && idForm.exec(request.path)) || []
  const account = context.accounts('whatsapp').find((each) => context.fileOf(each, id))
  const file = account && context.fileOf(account, id)
  if (!file) return undefined
  if (!hasToken(request, account)) return badToken
  if (resource === 'files') return fileCall(account, file)
  const body = {
    messaging_product: 'whatsapp',
    id,
    url: `${account.auth.apiUrl}/files/${id}`,
    mime_type: file.type,
    sha256: context.newId(32),
  }
  return fileCall(account, file, { status: 200, body })
}

/** The media object in a message. */
export function fileOf(
  account: Account,
  address: string,
  { url, type, name }: Extract<UserAct, { kind: 'media' }>,
  context: EmulatorContext,
) {
  const id = String(Number.parseInt(context.newId(6), 16))
  context.saveFile(account, id, { address, url, type })
  const kind = ['image', 'video', 'audio'].find((each) => type.startsWith(each)) ?? 'document'
  const file = { id, mime_type: type, sha256: context.newId(32) }
  return { type: kind, [kind]: { ...file, ...(kind === 'document' && { filename: name ?? 'file' }) } }
}
