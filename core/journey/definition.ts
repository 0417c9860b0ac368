/** The action that an operator enters into a journey platform, built from the outreach it sends. */
import { type Refusal, refuse } from '../errors.js'
import { budgets, outreachSend as limits } from '../limits/index.js'
import { outcomes, refusedReasons } from './response.js'

export interface ActionField {
  readonly field: string
  readonly type: 'string' | 'boolean'
  readonly mode: 'constant' | 'variable'
  readonly value?: string
  readonly optional: boolean
  /** Where the platform has the value. */
  readonly mapFrom?: string
}

export interface ActionSpec {
  readonly name: string
  readonly method: 'POST' | 'GET'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly request?: Readonly<Record<string, unknown>>
  readonly fields?: readonly ActionField[]
  readonly path?: string
  readonly queryParameter?: 'sendId'
  readonly response: Readonly<Record<string, unknown>>
  readonly errorResponse: Readonly<Record<string, unknown>>
}

export interface ActionDefinition {
  readonly contract: 'journey/1'
  readonly agentId: string
  readonly outreachId: string
  readonly inputs: readonly string[]
  readonly send: ActionSpec
  readonly status: ActionSpec
  readonly runbook: readonly string[]
}

export interface DefinitionInput {
  readonly agentId: string
  readonly outreach: {
    readonly id: string
    readonly name: string
    readonly enabled: boolean
    readonly inputs: readonly string[]
  }
  /** Of the agent's journey integration, absolute. */
  readonly url: string
}

const headers = {
  authorization: 'Bearer <API key with the scope integrations:journey>',
  'content-type': 'application/json',
}
const errorResponse = { type: 'about:blank', title: '', status: 400, code: 'request.invalid', detail: '' }

const profileFields = [
  variable('profile.phone', 'the phone number of the profile, as + and 7 to 15 digits', false),
  { field: 'profile.channel', type: 'string', mode: 'constant', value: 'rcs', optional: true },
  variable('profile.id', 'the id of the profile'),
  variable('profile.firstName', 'the first name of the profile'),
  variable('profile.lastName', 'the last name of the profile'),
  variable('profile.email', 'the email address of the profile'),
  { field: 'profileUpdate', type: 'string', mode: 'constant', value: 'fill', optional: true },
  variable('consent.sms', 'the consent of the profile to messages: y, n or nothing'),
  variable('consent.evidence', 'where that consent was given'),
  variable('journey.versionId', 'the id of the version of the journey'),
  variable('journey.nodeId', 'the id of this action in the journey'),
  variable('journey.instanceId', 'the id of this entry into the journey'),
] as const satisfies readonly ActionField[]

const sandboxFields: readonly ActionField[] = [
  variable('emulator.personaId', 'empty, or a persona to test with'),
  { field: 'dryRun', type: 'boolean', mode: 'variable', optional: true },
]

function variable(field: string, mapFrom: string, optional = true): ActionField {
  return { field, type: 'string', mode: 'variable', optional, mapFrom }
}

export function actionDefinition({ agentId, outreach, url }: DefinitionInput): ActionDefinition | Refusal {
  const { id: outreachId, inputs } = outreach
  const errors = inputs.filter(isUnusableInput).map((input) => ({
    field: `inputs.${input}`,
    message: `cannot be a field of a journey: it holds a dot, begins with $ or is longer than ${limits.inputKeyChars} characters`,
  }))
  if (errors.length > 0) return refuse('agent.outreach.journey_incompatible_inputs', { errors })
  const fields = [
    ...profileFields,
    ...inputs.map((input) => variable(`inputs.${input}`, `the value of ${input} for this profile`, false)),
    ...sandboxFields,
  ]
  return {
    contract: 'journey/1',
    agentId,
    outreachId,
    inputs,
    send: {
      name: actionName('send', outreachId),
      method: 'POST',
      url: `${url}/outreach/${outreachId}/sends`,
      headers,
      request: requestBody(fields),
      fields,
      response: {
        outcome: outcomes.join('|'),
        reason: '',
        detail: '',
        sendId: '',
        personId: '',
        unknownInputs: [],
        idempotency: 'journey|derived',
      },
      errorResponse,
    },
    status: {
      name: actionName('status', outreachId),
      method: 'GET',
      url: `${url}/sends`,
      headers: { authorization: headers.authorization },
      path: '/{sendId}',
      queryParameter: 'sendId',
      response: {
        sendId: '',
        state: '',
        reason: '',
        reachable: true,
        delivered: false,
        read: false,
        replied: false,
        final: false,
        nextAttemptAt: '',
      },
      errorResponse,
    },
    runbook: runbook(outreach),
  }
}

function isUnusableInput(input: string): boolean {
  return input.includes('.') || input.startsWith('$') || input === '' || [...input].length > limits.inputKeyChars
}

const nameChars = 30

function actionName(verb: string, outreachId: string): string {
  return `parley_${verb}_${outreachId}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, nameChars)
    .replace(/_+$/, '')
}

/** The body with every field in its place, as the platform shows it to the operator who maps the fields. */
function requestBody(fields: readonly ActionField[]): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const { field, type, value } of fields) {
    const [name, ...rest] = field.split('.')
    const sample = value ?? (type === 'boolean' ? false : '')
    if (rest.length === 0) body[name!] = sample
    else body[name!] = { ...(body[name!] as object | undefined), [rest.join('.')]: sample }
  }
  return body
}

function runbook({ name, enabled }: DefinitionInput['outreach']): string[] {
  const { refillPerSecond, burstCalls } = budgets.journey
  return [
    ...(enabled
      ? []
      : [`Warning: the outreach ${name} is turned off. Every call is answered 404 until it is turned on.`]),
    `Set the throttling of the action to at most ${refillPerSecond} calls a second before the journey goes live. Throttling keeps calls back; a cap would drop them. Bursts of ${burstCalls} are taken; what is over is answered 429 with Retry-After and may be repeated.`,
    `Give the action a timeout of at least ${limits.journeyAnswerMs / 1_000} seconds: every call is answered by then. Repeating a call after any HTTP error is safe, since the step of the journey makes it the same send.`,
    'Map the three journey fields to the version, the action and the entry. Without all of them a profile gets the outreach once a day, and answers say that the key was derived.',
    `Branch on outcome: ${outcomes.join(', ')}. With refused, reason says why (${Object.values(refusedReasons).join(', ')}); a reason that is not known means that this person is not to be reached in another way either.`,
    'Keep sendId in the journey. After a wait of some minutes the status action reports its outcome: final says that nothing more will happen to the sending, reachable is false for a phone without RCS, and delivered, read and replied follow what the phone reports.',
    'Rehearse with a persona in emulator.personaId and an empty profile, or with dryRun, which decides everything and sends nothing.',
  ]
}
