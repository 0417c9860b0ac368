/** Lints an OpenAPI document with the public linter, in a process of its own and without a word to the network. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

interface Finding {
  readonly ruleId: string
  readonly severity: string
  readonly message: string
  readonly location: readonly { readonly pointer?: string }[]
}

const cli = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin', 'cli.js')
/** The test runner's own hooks have no business in the linter either. */
const quiet = {
  NODE_OPTIONS: '',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_NOTIFICATIONS: 'true',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
}

/** Errors and warnings of the `recommended` rules, one sentence each; empty when there is nothing to say. */
export async function lintOpenApi(document: unknown): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-lint-'))
  try {
    const file = join(folder, 'openapi.json')
    await writeFile(file, JSON.stringify(document))
    const report = await lint(folder, file)
    return report.map(({ severity, ruleId, message, location }) =>
      [severity, ruleId, location[0]?.pointer ?? '', message].join(' '),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The linter's exit code only says that it found something, so what counts is a report that can be read. */
function lint(cwd: string, file: string): Promise<readonly Finding[]> {
  // The contract has paths such as outreach/sends/{id} beside outreach/{id}/sends: a word goes before a parameter.
  const skipped = '--skip-rule=no-ambiguous-paths'
  const args = [cli, 'lint', file, '--extends=recommended', skipped, '--format=json', '--max-problems=1000']
  const options = { cwd, env: { ...process.env, ...quiet }, maxBuffer: 64 * 1024 ** 2 }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, options, (_error, stdout, stderr) => {
      try {
        resolve((JSON.parse(stdout) as { problems: Finding[] }).problems)
      } catch {
        reject(new Error(`the linter gave no report: ${stderr || stdout}`))
      }
    })
  })
}
