/**
 * The suite that every adapter passes, built-in or of a partner. It needs no test runner: the checks run in sequence,
 * and each yields one finding.
 */
import type { Adapter } from '../../../core/channel/adapter.js'
import { secretsIn } from '../../../core/channel/credentialsecrets.js'
import { capabilityChecks } from './capabilities.js'
import { credentialChecks } from './credentials.js'
import { descriptorChecks } from './descriptor.js'
import { type Check, describeError, type Subject } from './harness.js'
import { mediaChecks } from './media.js'
import { optionalChecks } from './optional.js'
import { receiptChecks } from './receipts.js'
import { receiveChecks } from './receive.js'
import { renderChecks } from './render.js'
import type { Samples } from './samples.js'
import { sendChecks } from './send.js'

export interface Finding {
  /** The sentence of the contract that the check verifies. */
  readonly name: string
  readonly ok: boolean
  /** The first problems found. */
  readonly problems: readonly string[]
}

const checks: readonly Check[] = [
  ...descriptorChecks,
  ...credentialChecks,
  ...renderChecks,
  ...capabilityChecks,
  ...sendChecks,
  ...optionalChecks,
  ...receiveChecks,
  ...receiptChecks,
  ...mediaChecks,
]

/** Further cases of the same problem add nothing. */
const problemsShown = 5

export interface CheckOptions {
  /** Runs only the checks whose sentence matches. */
  readonly only?: RegExp
}

/** Never rejects because of the adapter. Checks that do not apply to the adapter are left out. */
export async function checkAdapter<Auth, Payload>(
  adapter: Adapter<Auth, Payload>,
  samples: Samples<Auth>,
  { only }: CheckOptions = {},
): Promise<readonly Finding[]> {
  const form = adapter?.descriptor?.form?.credentials
  const secrets = [samples.auth, ...(samples.otherAuths ?? [])].flatMap((auth) => secretsIn(form, auth))
  const subject: Subject = {
    adapter: adapter as Adapter,
    samples: samples as unknown as Samples,
    secrets: [...new Set([...secrets, ...(samples.secrets ?? [])])],
  }
  const findings: Finding[] = []
  for (const check of checks.filter(({ name }) => !only || only.test(name))) {
    const problems = await problemsOf(check, subject)
    if (problems) findings.push({ name: check.name, ok: problems.length === 0, problems })
  }
  return findings
}

async function problemsOf({ applies, run }: Check, subject: Subject): Promise<readonly string[] | undefined> {
  try {
    if (applies && !applies(subject)) return undefined
    const problems: string[] = []
    for await (const problem of run(subject)) {
      problems.push(problem)
      if (problems.length === problemsShown) break
    }
    return problems
  } catch (error) {
    return [`The check could not go on: ${describeError(subject, error)}`]
  }
}

/** The findings as TAP, one test for each check. */
export function report(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ name, ok, problems }, index) => [
    `${ok ? 'ok' : 'not ok'} ${index + 1} - ${name}`,
    ...problems.map((problem) => `  # ${problem}`),
  ])
  return ['TAP version 14', ...lines, `1..${findings.length}`, ''].join('\n')
}

/** For runners that expect an exception: throws when a check has failed. */
export async function assertAdapter<Auth, Payload>(
  adapter: Adapter<Auth, Payload>,
  samples: Samples<Auth>,
  options: CheckOptions = {},
): Promise<void> {
  const failed = (await checkAdapter(adapter, samples, options)).filter(({ ok }) => !ok)
  if (failed.length === 0) return
  const lines = failed.map(({ name, problems }) => [name, ...problems.map((each) => `  - ${each}`)].join('\n'))
  throw new Error(`The adapter does not keep its contract:\n${lines.join('\n')}`)
}
