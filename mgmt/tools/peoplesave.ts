/** `people.save`: writes what a conversation learned to the person, in the agent's shard. */
import type { AgentRef } from '../../core/agentref.js'
import { formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { possiblePhoneOf } from '../../core/people/address.js'
import { type FieldValues, saveFields } from '../../core/people/agentsave.js'
import { newPersonFor, withIdentity } from '../../core/people/identityevents.js'
import { numberOf, phoneNumberOf } from '../../core/people/numbers.js'
import type { IdentityEvent, Person, PersonIdentity } from '../../core/people/person.js'
import type { ToolCall, ToolContext, ToolOutcome } from '../../core/tools/contract.js'
import type { Command, CommandMeta, Shards, Tx } from '../../runtime/shard/contract.js'
import type { AgentDocuments } from '../agents/documentoperations.js'
import type { IdentityAt } from '../people/identitylookup.js'
import type { People } from '../people/index.js'

export interface SavePerson extends AgentRef, Pick<ToolContext, 'asid' | 'channel' | 'address' | 'sandbox'> {
  readonly fields: FieldValues
  /** The identity at the phone that the fields name, with the consent state of its conversation. */
  readonly identity?: PersonIdentity
}

type SavesPeople = Pick<People, 'byAsid' | 'byNumber' | 'newId' | 'save' | 'saveReachable'>

export function createSaveCommand(documents: Pick<AgentDocuments, 'load'>, people: SavesPeople) {
  /** As a conversation's report of that identity finds or creates them. */
  function personFor(tx: Tx, agent: AgentRef, input: SavePerson, meta: CommandMeta) {
    const { asid, channel, address, sandbox } = input
    const seen: IdentityEvent = { asid, channel, address, at: meta.at, kind: 'seen' }
    const holder = people.byAsid(tx, agent, asid)
    const existing = holder ?? (sandbox ? undefined : people.byNumber(tx, agent, seen))
    if (existing) return { before: existing, person: holder ? existing : withIdentity(existing, seen) }
    const created = newPersonFor(people.newId(meta), seen, meta.at)
    return { before: undefined, person: sandbox ? { ...created, sandbox } : created }
  }

  const save: Command<SavePerson, ToolOutcome> = {
    name: 'tools.savePerson',
    decide(tx, input, meta) {
      const { orgId, agentId, asid, fields, identity } = input
      const agent = { orgId, agentId }
      const loaded = documents.load(tx, agent, ['peopleFields'])
      if (!loaded) return refuse('resource.not_found')
      const { before, person } = personFor(tx, agent, input, meta)
      const outcome = saveFields(person, fields, loaded.document.peopleFields, meta.at)
      if ('refused' in outcome) return { state: 'refused', reason: outcome.refused }
      const { person: after, saved, captured } = outcome
      const isReachable = !after.sandbox && !isOwnNumberLeft(person, after, asid)
      if (isReachable) people.saveReachable(tx, agent, before, after, { identity }, meta)
      else if (after !== before) people.save(tx, agent, before, after, meta)
      return { state: 'ok', result: { saved, captured } }
    },
  }
  return save
}

/**
 * The phone changes, and the conversation goes on at the one before: that identity stays with the person, although
 * messages of operators go to the new phone.
 */
function isOwnNumberLeft(before: Person, after: Person, asid: string): boolean {
  const own = before.identities.find((identity) => identity.asid === asid)
  const number = own && numberOf(own)
  return number !== undefined && number === phoneNumberOf(before) && number !== phoneNumberOf(after)
}

export interface SavePersonDeps {
  readonly shards: Pick<Shards, 'execute'>
  readonly save: Command<SavePerson, ToolOutcome>
  readonly identityAt: IdentityAt
}

/** Under an id that was used before, the first outcome again. */
export type SavePersonTool = (context: ToolContext, call: ToolCall, id: string) => Promise<ToolOutcome | Refusal>

/** The arguments fit the schema of the tool. */
export function createSavePerson({ shards, save, identityAt }: SavePersonDeps): SavePersonTool {
  return async ({ agent, asid, channel, address, sandbox }, call, id) => {
    const fields = call.arguments.fields as FieldValues
    const phone = sandbox ? undefined : possiblePhoneOf(String(fields.phone ?? ''))
    const identity = phone === undefined ? undefined : await identityAt(agent, phone)
    if (isRefusal(identity)) return identity
    const { orgId, agentId } = agent
    const input = {
      orgId,
      agentId,
      asid,
      channel,
      address,
      fields,
      ...(sandbox && { sandbox }),
      ...(identity && { identity }),
    }
    return shards.execute(formatAgentKey(agent), save, input, { id })
  }
}
