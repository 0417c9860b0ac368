/** The frame of all subcommands: shared options, sessions, and exit codes for errors. */
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { commandLineVariables as variables } from '../config/config.js'
import { publicUrl, secretText } from '../config/env.js'
import { version } from '../config/version.js'
import { type Api, createApi } from './api.js'
import { exitCodes, Failure, usageError } from './failure.js'
import { createTerminal, type OutputStream, type Terminal } from './terminal.js'

/** The context of a subcommand that calls no node. */
export interface CliContext {
  readonly terminal: Terminal
  /** Print data as JSON for programs. */
  readonly json: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The context of a subcommand that calls a node. */
export interface Session extends CliContext {
  readonly api: Api
  /** The org from the command line; absent means the key's org. */
  readonly org: string | undefined
}

/**
 * Adds a subcommand to the program. A command opens its session when it runs, since help needs neither node nor key.
 */
export type Subcommand = (program: Command, getSession: () => Session, context: () => CliContext) => void

export interface CliProcess {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: OutputStream
  readonly stderr: OutputStream
}

interface GlobalOptions {
  readonly url?: string
  readonly keyFile?: string
  readonly org?: string
  readonly json?: true
}

const defaultUrl = 'http://127.0.0.1:8081'

/** Resolves to the exit code. */
export async function run(
  args: readonly string[],
  io: CliProcess,
  subcommands: readonly Subcommand[],
): Promise<number> {
  const terminal = createTerminal(io.stdout, io.stderr)
  const program = createProgram(io)
  const context = (): CliContext => ({ terminal, env: io.env, json: program.opts<GlobalOptions>().json === true })
  const getSession = () => createSession(program.opts<GlobalOptions>(), context())
  for (const addSubcommand of subcommands) addSubcommand(program, getSession, context)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    return reportError(error, terminal, context().json)
  }
}

function createProgram({ stdout, stderr }: CliProcess): Command {
  const program = new Command('parley')
  // With --json the usage error is reported as JSON when the command ends, so Commander prints nothing.
  const writeErr = (text: string) => (program.opts<GlobalOptions>().json ? undefined : stderr.write(text))
  return program
    .description('Looks after a Parley installation through the management API of one of its nodes.')
    .version(version)
    .option('--url <url>', `where that node is (or ${variables.url}; otherwise ${defaultUrl})`)
    .option('--key-file <file>', `file that holds the API key (or the key itself in ${variables.key})`)
    .option('--org <org>', `org of the agents that are named (or ${variables.org}; otherwise that of the key)`)
    .option('--json', 'print JSON, for programs')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr })
    .showHelpAfterError('Add --help to see what can be asked.')
    .addHelpText('after', examples)
    .exitOverride()
}

const examples = `
Examples:
  parley status                                   how the node is, and what waits
  parley send harbor-desk welcome --to +14155550100 --input city=Bergen
  parley campaign watch harbor-desk cm_…          a bar until the campaign has ended
  parley tail harbor-desk                         what is said, as it is said
  parley backup ./backups/today && parley restore ./backups/today --data ./data
  parley doctor                                   what keeps a node from running well

Exit codes: 0 done, 1 it could not be done, 3 a bug of parley, 4 wrong usage, 128+n ended by signal n.`

function createSession({ url, keyFile, org }: GlobalOptions, context: CliContext): Session {
  const { env } = context
  const address = url ?? (env[variables.url] || defaultUrl)
  const node = publicUrl.read(address)
  if (!node) {
    throw usageError(
      `${JSON.stringify(publicUrl.redact!(address))} is no place of a node. It wants ${publicUrl.expected}.`,
    )
  }
  // Operators paste the URL that a node prints, with the version at the end.
  const api = createApi({ url: node.replace(/\/v1$/, ''), key: readKey(keyFile, env[variables.key]) })
  return { ...context, api, org: org ?? (env[variables.org] || undefined) }
}

function readKey(file: string | undefined, configured: string | undefined): string {
  const text = file === undefined ? configured : readKeyFile(file)
  if (!text)
    throw usageError(`There is no API key. Set ${variables.key}, or name a file that holds one with --key-file.`)
  const key = secretText.read(text)
  const from = file === undefined ? variables.key : file
  if (!key) throw usageError(`${from} does not hold a key. It wants ${secretText.expected}.`)
  return key
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw usageError(`The key file cannot be read: ${(error as Error).message}.`)
  }
}

function reportError(error: unknown, terminal: Terminal, json = false): number {
  const report = (message: string, exitCode: number, code?: string): number => {
    terminal.printNotice(json ? JSON.stringify({ error: { message, code, exitCode } }, undefined, 2) : message)
    return exitCode
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.done
    // Without --json Commander has printed the error already.
    return json ? report(usageSentence(error), exitCodes.usageError) : exitCodes.usageError
  }
  if (error instanceof Failure) return report(error.message, error.exitCode, error.refusalCode)
  const text = error instanceof Error ? error.stack : String(error)
  return report(`This is a bug of parley itself. ${text}`, exitCodes.bug)
}

/** Without a subcommand Commander prints the help and gives no message. */
function usageSentence({ code, message }: CommanderError): string {
  return code === 'commander.help'
    ? 'There is no verb. Add --help to see what can be asked.'
    : message.replace(/^error: /, '')
}
