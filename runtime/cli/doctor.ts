/** `parley doctor`: checks whether a node with this environment would run well here, and gives advice if not. */
import type { Command } from 'commander'
import { readConfig } from '../config/config.js'
import { type Cell, type Column, formatTable } from './columns.js'
import { hostChecks } from './doctorhost.js'
import { netChecks } from './doctornet.js'
import { serverChecks } from './doctorservers.js'
import { Failure } from './failure.js'
import type { Finding } from './finding.js'
import { printResult } from './output.js'
import type { CliContext } from './program.js'
import type { Paint, Tone } from './terminal.js'

export function doctor(program: Command, _open: unknown, context: () => CliContext): void {
  program
    .command('doctor')
    .description('look whether a node would run well here, with the same environment; none has to be running')
    .addHelpText('after', '\nReads the variables of a node. Ends with 1 when a check fails; a warning is no failure.')
    .action(() => runDoctor(context()))
}

async function runDoctor(session: CliContext): Promise<void> {
  const findings = await runChecks(session.env)
  printResult(session, findings, () => doctorLines(findings, session.terminal.paint))
  const failed = findings.filter(({ status }) => status === 'fail')
  if (failed.length > 0) {
    throw new Failure(
      `${failed.length} of ${findings.length} checks failed: ${failed.map(({ check }) => check).join(', ')}.`,
    )
  }
}

/** If the configuration is invalid, no other check runs. */
export async function runChecks(env: CliContext['env']): Promise<Finding[]> {
  const read = readConfig(env)
  if ('problems' in read) return read.problems.map((detail) => ({ check: 'configuration', status: 'fail', detail }))
  const all: Finding[] = [{ check: 'configuration', status: 'ok', detail: 'every variable can be read' }]
  for (const check of [...hostChecks, ...netChecks, ...serverChecks]) all.push(...(await check(read.config, env)))
  return all
}

const tones: Readonly<Record<Finding['status'], Tone | undefined>> = { ok: undefined, warn: 'warning', fail: 'alarm' }

const columns: readonly Column<Finding>[] = [
  { head: 'CHECK', cell: ({ check }) => check },
  { head: 'STATUS', cell: ({ status }): Cell => ({ text: status, tone: tones[status] }) },
  { head: 'DETAIL', cell: ({ detail, advice }) => (advice === undefined ? detail : `${detail}. ${advice}`) },
]

export function doctorLines(findings: readonly Finding[], paint: Paint): string[] {
  return formatTable(columns, findings, paint)
}
