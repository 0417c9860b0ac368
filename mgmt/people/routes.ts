/** The routes of an agent's people. */
import { actorOf, type Member } from '../../core/access.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { invalid, isRefusal } from '../../core/errors.js'
import { person as limits, page } from '../../core/limits.js'
import type { PersonFilter } from '../../core/people/filter.js'
import type { Person } from '../../core/people/person.js'
import { appointmentView, personView } from '../../core/people/view.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import { changeOf, showsAddresses, wrongChange, wrongFilter } from './asked.js'
import { exportRoute } from './export.js'
import { importRoute } from './import.js'
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
  reading,
  writing,
} from './schema.js'

const path = '/orgs/{org}/agents/{agent}/people'

export function peopleRoutes(options: PeopleRouteDeps): Route[] {
  return [...collection(options), importRoute(options), exportRoute(options), ...item(options)]
}

function collection({ shards, people, pages, fieldsOf, identityAt }: PeopleRouteDeps): Route[] {
  /** Looks on until a page is full, everybody was looked at, or this call has looked at enough. */
  async function found(
    asked: AgentPlace & { filter: PersonFilter; seesAddresses: boolean },
    limit: number,
    from: string | undefined,
  ) {
    const matching: Person[] = []
    let after = from
    let chars = 0
    for (let rows = 0; rows < limits.rowsPerCall; rows += limits.rowsPerLook) {
      const look = { ...asked, limit: limit - matching.length, ...(after !== undefined && { after }) }
      const looked = await shards.read(agentKeyOf(asked), people.queries.look, look)
      if (isRefusal(looked)) return looked
      matching.push(...looked.people)
      chars += looked.chars
      after = looked.next
      if (after === undefined || matching.length >= limit || chars >= limits.charsPerLook) break
    }
    return { matching, after }
  }

  return [
    route({
      ...ofPeople,
      access: reading,
      method: 'GET',
      path,
      summary: 'List people, newest first; all filters given have to hold',
      query: personListQuery,
      reply: { 200: personList },
      errors: ['resource.not_found', 'request.invalid'],
      async handler({ params: { org: orgId, agent: agentId }, query, caller }) {
        const { limit = page.defaultRows, pageToken, ...rest } = query
        const filter = rest as PersonFilter
        const wrong = wrongFilter(filter)
        if (wrong) return wrong
        const place = { orgId, agentId }
        const scope = `people:${agentKeyOf(place)}:${JSON.stringify(Object.entries(filter).sort())}`
        const from = pageToken === undefined ? undefined : pages.read(scope, pageToken)
        if (pageToken !== undefined && !from) return invalid('pageToken', 'is not a token of this list')
        const seesAddresses = showsAddresses(caller)
        const looked = await found({ ...place, filter, seesAddresses }, limit, from?.[0] as string | undefined)
        if (isRefusal(looked)) return looked
        const shown = { showsAddresses: seesAddresses }
        const data = looked.matching.map((person) => personView(person, shown))
        const { after } = looked
        return json(200, after === undefined ? { data } : { data, nextPageToken: pages.write(scope, [after]) })
      },
    }),
    route({
      ...ofPeople,
      access: writing,
      method: 'POST',
      path,
      summary: 'Enter a person',
      body: personCreate,
      reply: { 201: personSchema },
      errors: ['resource.not_found', 'request.invalid'],
      async handler({ params: { org: orgId, agent: agentId }, body, caller }) {
        const place = { orgId, agentId }
        const change = changeOf(body)
        const wrong = await wrongChange(change, () => fieldsOf(place), true)
        if (wrong) return wrong
        const identity = body.phone ? await identityAt(place, body.phone) : undefined
        if (identity && isRefusal(identity)) return identity
        const input = { ...place, change, ...(identity && { identity }) }
        const person = await shards.ask(agentKeyOf(place), people.commands.create, input, { by: actorOf(caller) })
        return isRefusal(person) ? person : json(201, shownTo(caller, person))
      },
    }),
  ]
}

function shownTo(caller: Member, person: Person) {
  return personView(person, { showsAddresses: showsAddresses(caller) })
}

function item({ shards, people, fieldsOf, identityAt }: PeopleRouteDeps): Route[] {
  const { commands, queries } = people
  const one = `${path}/{personId}` as const
  return [
    route({
      ...ofPeople,
      access: reading,
      method: 'GET',
      path: one,
      summary: 'Read a person with the newest entries of the journal; somebody merged away is read as who took over',
      reply: { 200: personSchema },
      errors: ['resource.not_found'],
      async handler({ params: { org: orgId, agent: agentId, personId }, caller }) {
        const read = await shards.read(agentKeyOf({ orgId, agentId }), queries.read, { orgId, agentId, personId })
        if (isRefusal(read)) return read
        const { person, journal } = read
        return json(200, personView(person, { showsAddresses: showsAddresses(caller), journal }))
      },
    }),
    route({
      ...ofPeople,
      access: writing,
      method: 'PATCH',
      path: one,
      summary: 'Change what is known of a person, locked fields included',
      body: personPatch,
      reply: { 200: personSchema },
      errors: ['resource.not_found', 'request.invalid'],
      async handler({ params: { org: orgId, agent: agentId, personId }, body, caller }) {
        const place = { orgId, agentId }
        const change = changeOf(body)
        const wrong = await wrongChange(change, () => fieldsOf(place), false)
        if (wrong) return wrong
        const identity = body.phone ? await identityAt(place, body.phone) : undefined
        if (identity && isRefusal(identity)) return identity
        const input = { ...place, personId, change, ...(identity && { identity }) }
        const person = await shards.ask(agentKeyOf(input), commands.change, input, { by: actorOf(caller) })
        return isRefusal(person) ? person : json(200, shownTo(caller, person))
      },
    }),
    route({
      ...ofPeople,
      access: writing,
      method: 'DELETE',
      path: one,
      summary: 'Delete a person; an opt-out stays with the conversation',
      reply: { 204: null },
      errors: ['resource.not_found'],
      async handler({ params: { org: orgId, agent: agentId, personId }, caller }) {
        const input = { orgId, agentId, personId }
        const answer = await shards.ask(agentKeyOf(input), commands.remove, input, { by: actorOf(caller) })
        return isRefusal(answer) ? answer : noContent
      },
    }),
    route({
      ...ofPeople,
      access: writing,
      method: 'POST',
      path: `${one}/_merge`,
      summary: 'Make two records of one person into one: the other goes, and this one takes over what it lacks',
      body: mergeBody,
      reply: { 200: personSchema },
      errors: ['resource.not_found', 'request.invalid'],
      async handler({ params: { org: orgId, agent: agentId, personId }, body: { from }, caller }) {
        const input = { orgId, agentId, personId, from }
        const person = await shards.ask(agentKeyOf(input), commands.merge, input, { by: actorOf(caller) })
        return isRefusal(person) ? person : json(200, shownTo(caller, person))
      },
    }),
    route({
      ...ofPeople,
      access: reading,
      method: 'GET',
      path: `${one}/appointments`,
      summary: 'List the appointments of a person, newest first, cancelled ones included',
      reply: { 200: appointmentList },
      errors: ['resource.not_found'],
      async handler({ params: { org: orgId, agent: agentId, personId } }) {
        const asked = { orgId, agentId, personId }
        const found = await shards.read(agentKeyOf(asked), queries.appointments, asked)
        return isRefusal(found) ? found : json(200, { data: found.map(appointmentView) })
      },
    }),
  ]
}
