/** Tells the token kinds apart by their first characters and asks the one that knows it. */
import { apiKeyPrefix } from '../../core/ids.js'
import type { Authenticate } from '../../runtime/http/request.js'
import type { Grants } from './grants.js'
import type { IdTokens } from './idtokens.js'
import type { Keyring } from './keyring.js'

export function authenticateWith(keyring: Keyring, grants: Grants, idTokens: IdTokens): Authenticate {
  return (token) => {
    if (token.startsWith(apiKeyPrefix)) return keyring.find(token)
    if (token.startsWith('v1.') || token.startsWith('v2.')) return grants.open(token)
    return token.startsWith('eyJ') ? idTokens.verify(token) : undefined
  }
}
