/** What the routes of an agent's people work with. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { Refusal } from '../../core/errors.js'
import type { DeclaredField } from '../../core/people/customfields.js'
import type { Pages } from '../../runtime/http/page.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { PeopleCommands } from './commands.js'
import type { peopleQueries } from './queries.js'
import type { IdentityAt } from './standing.js'

export interface PeopleRouteDeps {
  readonly shards: Shards
  readonly people: { readonly commands: PeopleCommands; readonly queries: typeof peopleQueries }
  readonly pages: Pages
  /** The fields that the agent declares for its people. */
  readonly fieldsOf: (place: AgentPlace) => Promise<readonly DeclaredField[] | Refusal>
  /** Where a person of that number is written to, as its conversation has it. */
  readonly identityAt: IdentityAt
  readonly randomBytes: (count: number) => Uint8Array
}
