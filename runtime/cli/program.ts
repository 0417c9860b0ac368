/** The frame around every verb: the options they share, what they are given, and how whatever they throw ends. */
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { commandLineVariables as variables } from '../config.js'
import { publicUrl, secretText } from '../setting.js'
import { version } from '../version.js'
import { type Api, openApi } from './api.js'
import { exitCodes, Failure, wrongUsage } from './failure.js'
import { openTerminal, type Screen, type Terminal } from './terminal.js'

/** What a verb works with that asks no node. */
export interface Here {
  readonly terminal: Terminal
  /** The reader is a program: data is printed as JSON. */
  readonly json: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

/** What a verb works with. */
export interface Session extends Here {
  readonly api: Api
  /** The org that was named; absent, it is the one that the key belongs to. */
  readonly org: string | undefined
}

/** Adds itself to the program. A session is opened once a command runs, since help needs neither node nor key. */
export type Verb = (program: Command, open: () => Session, here: () => Here) => void

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: Screen
  readonly stderr: Screen
}

interface Shared {
  readonly url?: string
  readonly keyFile?: string
  readonly org?: string
  readonly json?: true
}

const defaultUrl = 'http://127.0.0.1:8081'

/** Resolves to the exit code. */
export async function run(args: readonly string[], around: Surroundings, verbs: readonly Verb[]): Promise<number> {
  const terminal = openTerminal(around.stdout, around.stderr)
  const program = programFor(around)
  const here = (): Here => ({ terminal, env: around.env, json: program.opts<Shared>().json === true })
  const open = () => openSession(program.opts<Shared>(), here())
  for (const verb of verbs) verb(program, open, here)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    return codeOf(error, terminal, here().json)
  }
}

function programFor({ stdout, stderr }: Surroundings): Command {
  const program = new Command('parley')
  // Programs are told what was wrong as JSON, once it is known how the command ends.
  const writeErr = (text: string) => (program.opts<Shared>().json ? undefined : stderr.write(text))
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

function openSession({ url, keyFile, org }: Shared, here: Here): Session {
  const { env } = here
  const place = url ?? (env[variables.url] || defaultUrl)
  const node = publicUrl.read(place)
  if (!node) {
    throw wrongUsage(`${JSON.stringify(publicUrl.shown!(place))} is no place of a node. It wants ${publicUrl.wants}.`)
  }
  // A node says where it is with the version at the end, and that is what people paste.
  const api = openApi({ url: node.replace(/\/v1$/, ''), key: keyFrom(keyFile, env[variables.key]) })
  return { ...here, api, org: org ?? (env[variables.org] || undefined) }
}

function keyFrom(file: string | undefined, given: string | undefined): string {
  const text = file === undefined ? given : readKeyFile(file)
  if (!text)
    throw wrongUsage(`There is no API key. Set ${variables.key}, or name a file that holds one with --key-file.`)
  const key = secretText.read(text)
  const from = file === undefined ? variables.key : file
  if (!key) throw wrongUsage(`${from} does not hold a key. It wants ${secretText.wants}.`)
  return key
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw wrongUsage(`The key file cannot be read: ${(error as Error).message}.`)
  }
}

function codeOf(error: unknown, terminal: Terminal, json = false): number {
  const tell = (message: string, exitCode: number, code?: string): number => {
    terminal.say(json ? JSON.stringify({ error: { message, code, exitCode } }, undefined, 2) : message)
    return exitCode
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.done
    // Without JSON Commander has said already what was wrong.
    return json ? tell(usageSentence(error), exitCodes.wrongUsage) : exitCodes.wrongUsage
  }
  if (error instanceof Failure) return tell(error.message, error.exitCode, error.refused)
  const what = error instanceof Error ? error.stack : String(error)
  return tell(`This is a bug of parley itself. ${what}`, exitCodes.bug)
}

/** Where a verb is missing Commander shows the help and has no words for it. */
function usageSentence({ code, message }: CommanderError): string {
  return code === 'commander.help'
    ? 'There is no verb. Add --help to see what can be asked.'
    : message.replace(/^error: /, '')
}
