/** A tool that is one HTTP request: its attempts, its sign-in, and what the caller sees of its answer. */
import { isRefusal } from '../../core/errors.js'
import { readAnswer } from '../../core/tools/answer.js'
import type { ToolCall, ToolContext } from '../../core/tools/contract.js'
import { type Verdict, verdictOf } from '../../core/tools/verdict.js'
import type { OutsideCall, OutsideOutcome } from '../../core/turn/port.js'
import type { Clock } from '../../runtime/clock.js'
import type { CredentialRef } from '../connections/store.js'
import type { AccessTokens, CallOutcome } from '../connections/tokens.js'
import { makeAttempts } from './attempts.js'
import { outcomeOf } from './outcomes.js'
import type { OutsideRequest, ToolEgress } from './port.js'

export interface HttpTool {
  /** Within a sentence: `the integration crm`. */
  readonly subject: string
  readonly id: string
  readonly url: string
  readonly method: OutsideRequest['method']
  /** Becomes JSON. */
  readonly body: unknown
  /** The value of the header. */
  readonly authorization?: string | undefined
  /** Used for the header instead. */
  readonly signIn?: CredentialRef | undefined
  /** Signs the body of each attempt. */
  readonly signingSecret?: string | undefined
  readonly isIdempotent: boolean
  readonly hiddenFields?: readonly string[] | undefined
}

export interface HttpToolDeps {
  readonly egress: Pick<ToolEgress, 'call' | 'sign'>
  readonly tokens: Pick<AccessTokens, 'use'>
  readonly clock: Pick<Clock, 'now' | 'setTimer'>
  readonly timeScale: number
}

export interface OneCall {
  readonly context: ToolContext
  readonly call: ToolCall
  readonly attempt: OutsideCall
}

export async function callHttpTool(
  { egress, tokens, clock, timeScale }: HttpToolDeps,
  tool: HttpTool,
  { context, attempt }: OneCall,
): Promise<OutsideOutcome> {
  const { subject, id, signIn, isIdempotent, hiddenFields = [] } = tool
  const body = Buffer.from(JSON.stringify(tool.body))
  const secrets = new Set([tool.authorization ?? '', tool.signingSecret ?? ''])
  let isLost = false

  async function send(authorization: string | undefined): Promise<Verdict> {
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'Parley-Tools/1',
      'X-Svc-Turn': context.turnId,
      'Idempotency-Key': attempt.id,
      ...(authorization !== undefined && { Authorization: authorization }),
      ...(tool.signingSecret !== undefined && egress.sign(tool.signingSecret, clock.now(), body)),
    }
    const { url, method } = tool
    const { signal, isStillOwner } = attempt
    return verdictOf(subject, await egress.call({ url, method, headers, body, signal, isStillOwner }))
  }

  async function sendSignedIn(ref: CredentialRef): Promise<Verdict> {
    let last: Verdict | undefined
    const used = await tokens.use(ref, async (token) => {
      secrets.add(token)
      last = await send(`Bearer ${token}`)
      return reportOf(last)
    })
    if (last && !isRejected(last)) return last
    isLost = isRefusal(used) && used.refused === 'connection.unusable'
    return isLost
      ? { kind: 'failed', reason: `The account that ${subject} uses has to be connected again.` }
      : { kind: 'unsent', reason: `The account that ${subject} uses is not available just now.` }
  }

  const attemptOnce = () => (signIn ? sendSignedIn(signIn) : send(tool.authorization))
  const concluded = await makeAttempts(attemptOnce, { subject, isIdempotent, attempt }, { clock, timeScale })
  const rules = { secrets: [...secrets].filter(Boolean), hiddenFields }
  const result =
    concluded.kind === 'done' ? readAnswer(concluded.answer.body, concluded.answer.isCut, rules) : undefined
  const made = outcomeOf(concluded, result)
  return isLost ? { ...made, notes: [{ event: 'connection.lost', data: { tool: id } }] } : made
}

/** A sign-in works while its provider does not reject the token, whatever else it answers. */
function reportOf(verdict: Verdict): CallOutcome<true> {
  if (verdict.kind === 'done') return { ok: true, value: true }
  if (isRejected(verdict)) return { ok: false, isRefused: true, lastError: verdict.reason }
  const isAnswered = verdict.status !== undefined || verdict.kind === 'failed'
  return isAnswered ? { ok: true, value: true } : { ok: false, isRefused: false, lastError: verdict.reason }
}

function isRejected(verdict: Verdict): boolean {
  return verdict.kind === 'failed' && verdict.status === 401
}
