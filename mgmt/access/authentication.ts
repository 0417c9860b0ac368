/** Chooses the authenticator of a token by the token's first characters. */
import { apiKeyPrefix } from '../../core/ids.js'
import type { Authenticate } from '../../runtime/http/request.js'
import type { ApiKeyAuth } from './apikeyauth.js'
import type { Grants } from './grants.js'
import type { IdTokens } from './idtokens.js'

export function createAuthenticate(apiKeyAuth: ApiKeyAuth, grants: Grants, idTokens: IdTokens): Authenticate {
  return (token) => {
    if (token.startsWith(apiKeyPrefix)) return apiKeyAuth.verify(token)
    if (token.startsWith('v1.') || token.startsWith('v2.')) return grants.verify(token)
    return token.startsWith('eyJ') ? idTokens.verify(token) : undefined
  }
}
