/** Lints an OpenAPI document with the public linter, in its own process and without network access. */
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
/** The test runner's hooks must not run in the linter. */
const quiet = {
  NODE_OPTIONS: '',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_NOTIFICATIONS: 'true',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
}

/** Errors and warnings of the `recommended` rules, one sentence each; empty when the document is clean. */
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

/** The linter's exit code says only that there are findings, so a readable report is required. */
function lint(cwd: string, file: string): Promise<readonly Finding[]> {
  // The contract has paths such as outreach/sends/{id} beside outreach/{id}/sends: a literal segment precedes a
  // parameter.
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
