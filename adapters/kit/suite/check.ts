/**
 * The suite that every adapter passes, those of the house and those of partners. It needs no test runner: it runs the
 * checks one after the other and gives a finding for each, so that any runner, or none, can show them.
 */
import type { Adapter } from '../../../core/channel/adapter.js'
import { secretsIn } from '../../../core/channel/credentialsecrets.js'
import { abilityChecks } from './abilities.js'
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
  /** The sentence of the contract that was checked. */
  readonly name: string
  readonly ok: boolean
  /** What was found against it, the first cases of it. */
  readonly problems: readonly string[]
}

const checks: readonly Check[] = [
  ...descriptorChecks,
  ...credentialChecks,
  ...renderChecks,
  ...abilityChecks,
  ...sendChecks,
  ...optionalChecks,
  ...receiveChecks,
  ...receiptChecks,
  ...mediaChecks,
]

/** Further cases of the same problem help nobody. */
const problemsShown = 5

export interface CheckOptions {
  /** Only the sentences that it matches. */
  readonly only?: RegExp
}

/** Never rejects for what the adapter does. A check that does not apply to an adapter is left out. */
export async function checkAdapter<Auth, Wire>(
  adapter: Adapter<Auth, Wire>,
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

/** The findings as text, one line a check, as TAP has it. */
export function report(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ name, ok, problems }, index) => [
    `${ok ? 'ok' : 'not ok'} ${index + 1} - ${name}`,
    ...problems.map((problem) => `  # ${problem}`),
  ])
  return ['TAP version 14', ...lines, `1..${findings.length}`, ''].join('\n')
}

/** For a runner that wants an exception: throws when anything was found. */
export async function assertAdapter<Auth, Wire>(
  adapter: Adapter<Auth, Wire>,
  samples: Samples<Auth>,
  options: CheckOptions = {},
): Promise<void> {
  const failed = (await checkAdapter(adapter, samples, options)).filter(({ ok }) => !ok)
  if (failed.length === 0) return
  const lines = failed.map(({ name, problems }) => [name, ...problems.map((each) => `  - ${each}`)].join('\n'))
  throw new Error(`The adapter does not keep its contract:\n${lines.join('\n')}`)
}
