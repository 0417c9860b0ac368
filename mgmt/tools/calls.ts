/** Calls of tools that reach outside: set up from the agent's shard, then made, or captured in the sandbox. */
import { formatAgentKey } from '../../core/agentref.js'
import { calendarTool, mailTool } from '../../core/catalogs/toolbackends.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { isDone, type ToolCall, type ToolContext } from '../../core/tools/contract.js'
import type { OutsideCall, OutsideOutcome } from '../../core/turn/port.js'
import type { Sealer } from '../../runtime/secrets/sealer.js'
import type { Query, Shards } from '../../runtime/shard/contract.js'
import { callCatalogTool, captureCatalogTool, type ToolSetup } from './catalogtools.js'
import type { HttpToolDeps, OneCall } from './httptool.js'
import { callIntegration, captureIntegration } from './integrations.js'
import { captureMail, sendMailTool } from './mailtool.js'
import { captureNotification, notifyTeam } from './notify.js'
import { captured, failed, unavailable, unreadable } from './outcomes.js'
import type { ToolEgress } from './port.js'
import { type CallSetup, type OpenSecrets, openSecrets, type SetupRequest } from './setup.js'

/** Never throws; an outcome that cannot be known is `unknown`. */
export type CallTool = (context: ToolContext, call: ToolCall, attempt: OutsideCall) => Promise<OutsideOutcome>

export interface CallsDeps extends Pick<HttpToolDeps, 'tokens' | 'clock' | 'timeScale'> {
  readonly shards: Pick<Shards, 'query'>
  readonly sealer: Pick<Sealer, 'open'>
  readonly setup: Query<SetupRequest, CallSetup>
  readonly egress: ToolEgress
  readonly mgmtUrl: () => string
  /** The calendar tool. Absent while no area provides it. */
  readonly calendar: () => CallTool | undefined
}

export function createCalls({ shards, sealer, setup, calendar, ...deps }: CallsDeps): CallTool {
  const { clock, mgmtUrl } = deps

  function capture(loaded: CallSetup, one: OneCall): OutsideOutcome {
    const at = clock.now()
    if (loaded.kind === 'integration') return captureIntegration(loaded, one, at)
    if (loaded.kind === 'notify') return captureNotification(loaded, one, at, mgmtUrl())
    const { toolId } = loaded.binding
    if (toolId === mailTool) return captureMail(loaded, one, at)
    if (toolId !== calendarTool) return captureCatalogTool(loaded, one, at)
    return captured('calendar', 'Uses the calendar.', one.call.arguments, at)
  }

  function perform(loaded: CallSetup, secrets: OpenSecrets, one: OneCall): Promise<OutsideOutcome> {
    if (loaded.kind === 'integration') return callIntegration(deps, loaded, secrets, one)
    if (loaded.kind === 'notify') return notifyTeam(deps, loaded, secrets, one)
    return performTool(loaded, secrets, one)
  }

  function performTool(loaded: ToolSetup, secrets: OpenSecrets, one: OneCall): Promise<OutsideOutcome> {
    const { toolId } = loaded.binding
    if (toolId === mailTool) return sendMailTool(deps, loaded, secrets, one)
    if (toolId !== calendarTool) return callCatalogTool(deps, loaded, secrets, one)
    return calendar()?.(one.context, one.call, one.attempt) ?? Promise.resolve(noCalendar)
  }

  async function make(one: OneCall): Promise<OutsideOutcome> {
    const { agent, asid, sandbox } = one.context
    const loaded = await load({ ...agent, name: one.call.name, asid })
    if (isRefusal(loaded)) {
      return loaded.refused === 'service.unavailable' ? unavailable : failed(loaded.detail ?? '')
    }
    if (sandbox) return capture(loaded, one)
    const opened = await openSecrets(sealer, agent, loaded.sealed)
    if (opened === 'unreadable') return unreadable
    return isRefusal(opened) ? unavailable : perform(loaded, opened, one)
  }

  function load(request: SetupRequest): Promise<CallSetup | Refusal> {
    return shards.query(formatAgentKey(request), setup, request)
  }

  return async (context, call, attempt) => {
    const made = await make({ context, call, attempt })
    return attempt.isRepeat ? inDoubt(call, made) : made
  }
}

/** An attempt before this one may have done it, so only that it was done is known. */
function inDoubt({ name }: ToolCall, made: OutsideOutcome): OutsideOutcome {
  const { outcome } = made
  if (isDone(outcome) || outcome.state === 'unknown') return made
  const reason = `It is not known whether ${name} was done: an attempt was interrupted. And then: ${outcome.reason}`
  return { ...made, outcome: { state: 'unknown', reason } }
}

const noCalendar = failed('The calendar cannot be used in this installation.')
