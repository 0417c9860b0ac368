/** Dependencies of the routes of people. */
import type { AgentRef } from '../../core/agentref.js'
import type { Refusal } from '../../core/errors.js'
import type { DeclaredField } from '../../core/people/customfields.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { PeopleCommands } from './commands.js'
import type { IdentityAt } from './identitylookup.js'
import type { peopleQueries } from './queries.js'

export interface PeopleRouteDeps {
  readonly shards: Shards
  readonly people: { readonly commands: PeopleCommands; readonly queries: typeof peopleQueries }
  readonly pages: PageTokens
  /** The fields that the agent declares for its people. */
  readonly fieldsOf: (agent: AgentRef) => Promise<readonly DeclaredField[] | Refusal>
  /** The identity at a phone number, with the consent state of its conversation. */
  readonly identityAt: IdentityAt
  readonly randomBytes: (count: number) => Uint8Array
}
