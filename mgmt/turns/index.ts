/** Turns: the records of what the built-in runtime decided, for operators, and what turns need of this plane. */
import { isRefusal } from '../../core/errors.js'
import type { ToolContext } from '../../core/tools/contract.js'
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { Agents } from '../agents/index.js'
import { type EffectDeps, moduleOf, type RouteDeps } from '../area.js'
import type { Knowledge } from '../knowledge/index.js'
import type { People } from '../people/index.js'
import type { SchedulingArea } from '../scheduling/index.js'
import type { Tools } from '../tools/index.js'
import type { TurnLists } from './lists.js'
import { createTurnPort, type InsideTool, type TurnTools } from './port.js'
import { turnRoutes } from './routes.js'
import { subjectQuery } from './subject.js'

export interface TurnsDeps {
  readonly agents: Pick<Agents, 'documents'>
  readonly people: People
  readonly knowledge: Pick<Knowledge, 'searchPassages'>
  readonly scheduling: Pick<SchedulingArea, 'connect'>
  readonly tools: Pick<Tools, 'unavailableTools' | 'withConnections' | 'open'>
  readonly clock: Clock
  readonly timeScale: number
}

export interface TurnRouteDeps extends RouteDeps {
  readonly turns: TurnLists
}

export function createTurns({ agents, people, knowledge, scheduling, tools, ...deps }: TurnsDeps) {
  const { unavailableTools } = tools
  const subject = subjectQuery({ documents: agents.documents, people, unavailableTools })

  /** The tools of the agent's shard, each a command under the id of its call. */
  function insideTools(engine: EffectDeps): Readonly<Record<string, InsideTool>> {
    const { book, reschedule, cancel } = scheduling.connect(engine)
    const appointment =
      (run: typeof book): InsideTool =>
      (context, { arguments: args }, id) =>
        run({ ...subjectOf(context), arguments: args, callId: id }, { id })
    return {
      'scheduling.book': appointment(book),
      'scheduling.reschedule': appointment(reschedule),
      'scheduling.cancel': appointment(cancel),
      async 'people.save'(context, call, id) {
        const outcome = await tools.open(engine).savePerson(context, call, id)
        return isRefusal(outcome) ? outcome : { outcome }
      },
    }
  }

  return {
    module: moduleOf({ queries: { subject } }),
    /** What managed turns need, over these shards. */
    port(engine: EffectDeps): TurnTools {
      const { shards } = engine
      const { availability } = scheduling.connect(engine)
      return createTurnPort({
        shards,
        subject,
        searchPassages: knowledge.searchPassages(shards),
        availability: (context, { arguments: args }) => availability({ ...subjectOf(context), arguments: args }),
        inside: insideTools(engine),
        callOutside: tools.open(engine).call,
        findReasons: (orgId, availability) => tools.withConnections(shards, orgId, availability),
        clock: deps.clock,
      })
    },
    routes: (engine: TurnRouteDeps): Route[] => turnRoutes({ ...engine, ...deps }),
  }
}

function subjectOf({ agent, asid, channel, address, zone, orgZone, sandbox }: ToolContext) {
  return {
    ...{ ...agent, asid, channel, address, zone },
    ...(orgZone !== undefined && { orgZone }),
    ...(sandbox && { sandbox }),
  }
}
