/** Everything that runs in a simulated process: the commands of conversations and turns, and their effect handlers. */
import { createWebhookHandler } from '../../../runtime/agentwebhook/dispatch.js'
import { type ConversationOptions, createConversation } from '../../../runtime/conversation/commands.js'
import type { ConversationCommands } from '../../../runtime/conversation/contract.js'
import { effectKinds } from '../../../runtime/conversation/effects.js'
import type { Media } from '../../../runtime/media/contract.js'
import type { EffectHandler, Handlers, Shards } from '../../../runtime/shard/contract.js'
import { shardOf } from '../../../runtime/shard/placement.js'
import { createDispatchHandler } from '../../../runtime/turn/begin.js'
import { createCallHandler, createDeadlineHandler } from '../../../runtime/turn/call.js'
import { createTurnCommands } from '../../../runtime/turn/commands.js'
import type { TurnCommands } from '../../../runtime/turn/contract.js'
import { type TurnCall, turnEffects } from '../../../runtime/turn/effects.js'
import { createPlanner } from '../../../runtime/turn/planner.js'
import { createPreparedAgents } from '../../../runtime/turn/prepared.js'
import { closeCutTurn } from '../../../runtime/turn/records.js'
import { openTurnTable } from '../../../runtime/turn/state.js'
import type { Incarnation } from '../world/life.js'
import type { SimProcess, World } from '../world.js'
import { journalListener } from './journal.js'
import type { TurnMutation } from './mutants.js'
import { contexts, type Operator } from './operator.js'
import { createPhoneHandler, type Phones } from './phones.js'
import type { TurnPlan } from './plan.js'
import { createPort } from './port.js'
import { readAgent, readPerson } from './state.js'
import { doInside, type OutsideTools } from './tools.js'
import type { SimWebhook } from './webhook.js'

/** What is outside of the processes. */
export interface Surroundings {
  readonly operator: Operator
  readonly tools: OutsideTools
  readonly phones: Phones
  readonly webhook: SimWebhook
  /** Ends the process now and then, within the next moments. */
  perhapsCrash(incarnation: Incarnation): void
}

export interface TurnModule {
  readonly conversation: ConversationCommands
  readonly turn: TurnCommands
}

/** The commands as they are registered in every process. */
export function createTurnModule({ turns: { timeScale } }: TurnPlan, mutation: TurnMutation): TurnModule {
  const cut: ConversationOptions['onTurnCut'] = mutation.onTurnCut?.(closeCutTurn) ?? closeCutTurn
  const { commands, apply } = createConversation({ timeScale, listeners: [journalListener], onTurnCut: cut })
  const turn = createTurnCommands({ apply, timeScale })
  return {
    conversation: { ...commands, ...mutation.conversation?.(commands) },
    turn: { ...turn, ...mutation.turn?.(turn) },
  }
}

export interface HandlerOptions {
  readonly plan: TurnPlan
  readonly world: Pick<World, 'timeline' | 'writers' | 'history'>
  readonly module: TurnModule
  readonly surroundings: Surroundings
  readonly mutation: TurnMutation
}

export function createTurnHandlers(options: HandlerOptions, process: SimProcess): Handlers {
  const { plan, world, module, surroundings, mutation } = options
  const { incarnation, clock, rng } = process
  const { operator, tools, phones, webhook } = surroundings
  const { conversation, turn } = module

  function effectHandlers(given: Shards): Readonly<Record<string, EffectHandler>> {
    const shards = mutation.shards?.(given) ?? given
    const created = createPort({
      ...{ incarnation, clock, rng, shards, operator, tools },
      seed: plan.seed,
      timeline: world.timeline,
      perhapsCrash: () => surroundings.perhapsCrash(incarnation),
    })
    const port = mutation.port?.(created) ?? created
    const directory = operator.directoryOf(incarnation, rng)
    const planner = createPlanner({ port, agents: createPreparedAgents(port, clock), media, clock })
    const shared = { shards, directory, contexts, clock, media }
    const turns = { ...shared, commands: turn, planner, port }
    const callWebhook = createWebhookHandler({ ...shared, ...webhook.depsOf(incarnation), commands: conversation })
    return {
      [effectKinds.deliver]: createPhoneHandler({ incarnation, phones, shards, commands: conversation }),
      [effectKinds.dispatchEvent]: createDispatchHandler({ ...turns, callWebhook }),
      [turnEffects.call]: checkedCall(createCallHandler(turns)),
      [turnEffects.deadline]: createDeadlineHandler(turns),
    }
  }

  /** Checks that the process may run the effect, and runs it. */
  function checked(handle: EffectHandler): EffectHandler {
    return async (payload, context) => {
      if (!incarnation.alive()) return
      world.writers.effectBegins(incarnation, shardOf(context.owner, plan.shards), context.id)
      await handle(payload, mutation.context?.(context) ?? context)
    }
  }

  /** An outcome and the end of its effect are one commit where both are of one process: no call runs again then. */
  function checkedCall(handle: EffectHandler): EffectHandler {
    return async (payload: TurnCall, context) => {
      const open = context.reader.get(openTurnTable, [payload.asid])
      if (plan.engine === 'embedded' && open?.id === payload.turnId && open.step > payload.number) {
        world.history.addViolation(`${context.id} runs again, though ${open.id} is at step ${open.step}`)
      }
      await handle(payload as never, context)
    }
  }

  return {
    commands: [...Object.values(conversation), ...Object.values(turn), doInside] as unknown as Handlers['commands'],
    queries: [readPerson, readAgent] as unknown as Handlers['queries'],
    effectHandlers: (shards) =>
      Object.fromEntries(Object.entries(effectHandlers(shards)).map(([kind, handle]) => [kind, checked(handle)])),
  }
}

/** No message has files. */
const media: Pick<Media, 'rehost'> = {
  rehost: async (url) => ({ url, type: 'image/png', bytes: 1 }),
}
