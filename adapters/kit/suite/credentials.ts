/** Checks of credentials: valid ones pass, an error names a field of the form, and no message repeats a secret. */
import { isRecord } from '../../../core/json.js'
import { compileForm, hasField } from './forms.js'
import { type Check, describeError, leaksSecret, type Subject } from './harness.js'

export const credentialChecks: readonly Check[] = [
  {
    name: 'Sample credentials fit the form, and the adapter takes them',
    *run(subject: Subject) {
      const { adapter, samples } = subject
      const compiled = compileForm(adapter.descriptor.form.credentials)
      if ('problem' in compiled) return
      for (const [at, auth] of [samples.auth, ...(samples.otherAuths ?? [])].entries()) {
        if (!compiled.fits(auth)) yield `credentials ${at + 1} do not fit the form`
        const result = checkAuth(subject, auth)
        if (result) yield `credentials ${at + 1} are refused: ${result.problem ?? result.field}`
      }
    },
  },
  {
    name: 'The form asks for at least the secret that proves who calls',
    applies: ({ adapter, samples }) => !adapter.connect && samples.calls.some(({ proves }) => proves !== 'nothing'),
    *run({ secrets, samples }: Subject) {
      if (secrets.length === 0 && Object.keys(samples.auth ?? {}).length > 0) yield 'no field of the form is write-only'
    },
  },
  {
    name: 'Credentials that will not do are refused with the name of a field of the form',
    applies: ({ samples }) => (samples.invalidAuths ?? []).length > 0,
    *run(subject: Subject) {
      const { adapter, samples } = subject
      for (const [at, { auth, field }] of (samples.invalidAuths ?? []).entries()) {
        const result = checkAuth(subject, auth)
        if (!result) yield `wrong credentials ${at + 1} are taken`
        else if (result.problem) yield `wrong credentials ${at + 1}: ${result.problem}`
        else if (result.field !== field) yield `wrong credentials ${at + 1}: it names ${result.field} and not ${field}`
        if (!hasField(adapter.descriptor.form.credentials, field)) yield `the form has no field ${field}`
      }
    },
  },
  {
    name: 'Judging any credentials ends in a field of the form or in none, never in an exception or a secret',
    applies: ({ adapter }) => adapter.validateAuth !== undefined,
    *run(subject: Subject) {
      for (const auth of corruptions(subject.samples.auth)) {
        const result = checkAuth(subject, auth)
        if (result?.problem) yield result.problem
      }
    },
  },
]

interface AuthCheck {
  readonly field?: string
  /** What is wrong with the answer of `validateAuth` itself. */
  readonly problem?: string
}

function checkAuth({ adapter, secrets }: Subject, auth: unknown): AuthCheck | undefined {
  try {
    const result: unknown = adapter.validateAuth?.(auth)
    if (result === undefined) return undefined
    if (!isRecord(result) || typeof result.field !== 'string' || typeof result.message !== 'string')
      return { problem: '`validateAuth` answers something else than a field and a message' }
    const { field, message } = result
    if (!hasField(adapter.descriptor.form.credentials, field)) return { problem: `the form has no field ${field}` }
    return leaksSecret(secrets, message) ? { problem: `a secret stands in what it says of ${field}` } : { field }
  } catch (error) {
    return { problem: `\`validateAuth\` threw ${describeError({ secrets }, error)}` }
  }
}

const oddValues: readonly unknown[] = [
  '',
  'x',
  '\u0000',
  '💥',
  '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n',
]

/** The credentials with one text at a time replaced by an unlikely value. */
function* corruptions(auth: unknown): Generator<unknown> {
  if (typeof auth === 'string') yield* oddValues
  if (!isRecord(auth)) return
  for (const [name, value] of Object.entries(auth)) {
    for (const inner of corruptions(value)) yield { ...auth, [name]: inner }
  }
}
