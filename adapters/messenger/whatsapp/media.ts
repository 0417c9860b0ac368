/** Opens media of people on WhatsApp: a request with the media id returns a URL that is valid for some minutes. */
import type { ProviderContext } from '../../../core/channel/adapter.js'
import type { MediaAccess } from '../../../core/channel/providermedia.js'
import { isRecord } from '../../../core/json.js'
import { asNumber, asText, isTrusted, readJson } from '../../kit/http.js'
import { graphUrl } from '../graph.js'
import type { WhatsappAuth } from './descriptor.js'

/** The URL needs the same token. The token goes to its host because the API itself named it, and over TLS only. */
export async function openMedia(id: string, { auth, call }: ProviderContext<WhatsappAuth>): Promise<MediaAccess> {
  const headers = { authorization: `Bearer ${auth.accessToken}` }
  const answer = await call({ method: 'GET', url: graphUrl(auth, encodeURIComponent(id)), headers })
  if (answer.kind === 'none') return { kind: 'refused', detail: answer.detail }
  const body = readJson(Buffer.from(answer.body))
  const fields = isRecord(body) ? body : {}
  if (answer.status !== 200) return { kind: 'refused', detail: errorDetail(answer.status, fields.error) }
  const url = asText(fields.url)
  return url !== undefined && isTrusted(url, auth.apiUrl)
    ? { kind: 'at', url, headers }
    : { kind: 'refused', detail: 'The provider does not say where it is.' }
}

/** The text of an error may contain the token, so the detail has only its codes. */
function errorDetail(status: number, error: unknown): string {
  const code = isRecord(error) ? asNumber(error.code) : undefined
  return `The provider answered ${status}${code === undefined ? '' : ` with code ${code}`}.`
}
