/** Routes of an agent's people. */
import { actorOf, type Member } from '../../core/access.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal } from '../../core/errors.js'
import { person as limits, page } from '../../core/limits/index.js'
import type { PersonFilter } from '../../core/people/filter.js'
import type { Person } from '../../core/people/person.js'
import { appointmentView, personView } from '../../core/people/view.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import { exportRoute } from './csvexport.js'
import { importRoute } from './csvimport.js'
import { changeError, filterError, maySeeAddresses, parseChange } from './parse.js'
import type { PeopleRouteDeps } from './routedeps.js'
import {
  appointmentList,
  mergeBody,
  ofPeople,
  personCreate,
  personList,
  personListQuery,
  personPatch,
  personSchema,
  readAccess,
  writeAccess,
} from './schema.js'

const path = '/orgs/{org}/agents/{agent}/people'

export function peopleRoutes(options: PeopleRouteDeps): Route[] {
  return [...collection(options), importRoute(options), exportRoute(options), ...item(options)]
}

function collection({ shards, people, pages, fieldsOf, identityAt }: PeopleRouteDeps): Route[] {
  /** Reads on until a page is full, the list ends, or this call has reached its bound. */
  async function scanPages(
    input: AgentRef & { filter: PersonFilter; seesAddresses: boolean },
    limit: number,
    from: string | undefined,
  ) {
    const matching: Person[] = []
    let after = from
    let chars = 0
    for (let rows = 0; rows < limits.rowsPerCall; rows += limits.rowsPerScan) {
      const scanInput = { ...input, limit: limit - matching.length, ...(after !== undefined && { after }) }
      const scan = await shards.query(formatAgentKey(input), people.queries.scan, scanInput)
      if (isRefusal(scan)) return scan
      matching.push(...scan.people)
      chars += scan.chars
      after = scan.next
      if (after === undefined || matching.length >= limit || chars >= limits.charsPerScan) break
    }
    return { matching, after }
  }

  return [
    route({
      ...ofPeople,
      access: readAccess,
      method: 'GET',
      path,
      summary: 'List people, newest first; all filters given have to hold',
      query: personListQuery,
      reply: { 200: personList },
      errors: ['resource.not_found', 'request.invalid'],
      async handler({ params: { org: orgId, agent: agentId }, query, caller }) {
        const { limit = page.defaultRows, pageToken, ...rest } = query
        const filter = rest as PersonFilter
        const error = filterError(filter)
        if (error) return error
        const agent = { orgId, agentId }
        const scope = `people:${formatAgentKey(agent)}:${JSON.stringify(Object.entries(filter).sort())}`
        const from = pages.read(scope, pageToken)
        if (isRefusal(from)) return from
        const seesAddresses = maySeeAddresses(caller)
        const scan = await scanPages({ ...agent, filter, seesAddresses }, limit, from?.[0] as string | undefined)
        if (isRefusal(scan)) return scan
        const viewOptions = { showsAddresses: seesAddresses }
        const data = scan.matching.map((person) => personView(person, viewOptions))
        const { after } = scan
        return json(200, after === undefined ? { data } : { data, nextPageToken: pages.write(scope, [after]) })
      },
    }),
    route({
      ...ofPeople,
      access: writeAccess,
      method: 'POST',
      path,
      summary: 'Enter a person',
      body: personCreate,
      reply: { 201: personSchema },
      errors: ['resource.not_found', 'request.invalid'],
      async handler({ params: { org: orgId, agent: agentId }, body, caller }) {
        const agent = { orgId, agentId }
        const change = parseChange(body)
        const error = await changeError(change, () => fieldsOf(agent), true)
        if (error) return error
        const identity = body.phone ? await identityAt(agent, body.phone) : undefined
        if (identity && isRefusal(identity)) return identity
        const input = { ...agent, change, ...(identity && { identity }) }
        const person = await shards.execute(formatAgentKey(agent), people.commands.create, input, {
          by: actorOf(caller),
        })
        return isRefusal(person) ? person : json(201, viewFor(caller, person))
      },
    }),
  ]
}

function viewFor(caller: Member, person: Person) {
  return personView(person, { showsAddresses: maySeeAddresses(caller) })
}

function item({ shards, people, fieldsOf, identityAt }: PeopleRouteDeps): Route[] {
  const { commands, queries } = people
  const itemPath = `${path}/{personId}` as const
  return [
    route({
      ...ofPeople,
      access: readAccess,
      method: 'GET',
      path: itemPath,
      summary:
        'Read a person with the newest entries of the journal; a merged person is read as the person it was merged into',
      reply: { 200: personSchema },
      errors: ['resource.not_found'],
      async handler({ params: { org: orgId, agent: agentId, personId }, caller }) {
        const loaded = await shards.query(formatAgentKey({ orgId, agentId }), queries.read, {
          orgId,
          agentId,
          personId,
        })
        if (isRefusal(loaded)) return loaded
        const { person, journal } = loaded
        return json(200, personView(person, { showsAddresses: maySeeAddresses(caller), journal }))
      },
    }),
    route({
      ...ofPeople,
      access: writeAccess,
      method: 'PATCH',
      path: itemPath,
      summary: 'Change what is known of a person, locked fields included',
      body: personPatch,
      reply: { 200: personSchema },
      errors: ['resource.not_found', 'request.invalid'],
      async handler({ params: { org: orgId, agent: agentId, personId }, body, caller }) {
        const agent = { orgId, agentId }
        const change = parseChange(body)
        const error = await changeError(change, () => fieldsOf(agent), false)
        if (error) return error
        const identity = body.phone ? await identityAt(agent, body.phone) : undefined
        if (identity && isRefusal(identity)) return identity
        const input = { ...agent, personId, change, ...(identity && { identity }) }
        const person = await shards.execute(formatAgentKey(input), commands.change, input, { by: actorOf(caller) })
        return isRefusal(person) ? person : json(200, viewFor(caller, person))
      },
    }),
    route({
      ...ofPeople,
      access: writeAccess,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete a person; an opt-out stays with the conversation',
      reply: { 204: null },
      errors: ['resource.not_found'],
      async handler({ params: { org: orgId, agent: agentId, personId }, caller }) {
        const input = { orgId, agentId, personId }
        const answer = await shards.execute(formatAgentKey(input), commands.remove, input, { by: actorOf(caller) })
        return isRefusal(answer) ? answer : noContent
      },
    }),
    route({
      ...ofPeople,
      access: writeAccess,
      method: 'POST',
      path: `${itemPath}/_merge`,
      summary: 'Make two records of one person into one: the other goes, and this one takes over what it lacks',
      body: mergeBody,
      reply: { 200: personSchema },
      errors: ['resource.not_found', 'request.invalid'],
      async handler({ params: { org: orgId, agent: agentId, personId }, body: { from }, caller }) {
        const input = { orgId, agentId, personId, from }
        const person = await shards.execute(formatAgentKey(input), commands.merge, input, { by: actorOf(caller) })
        return isRefusal(person) ? person : json(200, viewFor(caller, person))
      },
    }),
    route({
      ...ofPeople,
      access: readAccess,
      method: 'GET',
      path: `${itemPath}/appointments`,
      summary: 'List the appointments of a person, newest first, cancelled ones included',
      reply: { 200: appointmentList },
      errors: ['resource.not_found'],
      async handler({ params: { org: orgId, agent: agentId, personId } }) {
        const input = { orgId, agentId, personId }
        const appointments = await shards.query(formatAgentKey(input), queries.appointments, input)
        return isRefusal(appointments) ? appointments : json(200, { data: appointments.map(appointmentView) })
      },
    }),
  ]
}
