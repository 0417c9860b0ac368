/** `parley keys`: API keys of an org. A new key goes to stdout once and is shown nowhere else. */
import { type Command, Option } from 'commander'
import { scopes } from '../../core/access.js'
import { type Column, formatTable } from './columns.js'
import { Failure } from './failure.js'
import { formatMinute, printResult } from './output.js'
import { encodeId, orgPath } from './paths.js'
import type { CliContext, Session } from './program.js'
import { rotateRoot, rotateRootHelp } from './rootkey.js'

/** The printed fields of a key. */
interface ApiKey {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly prefix: string
  readonly scopes: readonly string[]
  readonly expiresAt?: string
  readonly lastUsedAt?: string
}

type CreatedKey = ApiKey & { readonly key: string }

interface NewKey {
  readonly name: string
  readonly description?: string
  readonly scopes?: readonly string[]
  readonly expiresAt?: string
  readonly isSysop?: true
}

export function keys(program: Command, getSession: () => Session, context: () => CliContext): void {
  const command = program
    .command('keys')
    .description('list the API keys of the org')
    .action(() => listKeys(getSession()))
  command
    .command('create')
    .description('make a key and print it, this once, to stdout')
    .argument('<name>', 'what people know it by')
    .addOption(new Option('--scope <scopes...>', 'what it may do; none is nothing').choices(scopes))
    .option('--description <text>', 'what it is for')
    .option('--expires <moment>', 'when it ends, in ISO 8601')
    .addHelpText('after', '\nExample: parley keys create ci --scope agents:read messages:read > ci.key')
    .action((name: string, { scope, description, expires }: Record<'scope' | 'description' | 'expires', never>) =>
      createKey(getSession(), { name, description, scopes: scope, expiresAt: expires }),
    )
  command
    .command('revoke')
    .description('end a key at once')
    .argument('<key>', 'id of the key, key_…')
    .action((id: string) => revokeKey(getSession(), id))
  command
    .command('rotate')
    .description('make a key with the name and scopes of another, print it once, and then revoke the other')
    .argument('<key>', 'id of the key, key_…')
    .option('--keep-old', 'do not revoke the other yet')
    .action((id: string, { keepOld }: { keepOld?: true }) => rotateKey(getSession(), id, keepOld === true))
  command
    .command('rotate-operator')
    .description('make a second key of the system operator, print it once, and then end the one this is called with')
    .action(() => rotateOperator(getSession()))
  command
    .command('rotate-root')
    .description('seal the data of a node that is stopped with another root key, with the same environment as the node')
    .option('--new-key-file <file>', 'file that holds the new key, where PARLEY_SECRET_KEY is set')
    .addHelpText('after', rotateRootHelp)
    .action(({ newKeyFile }: { newKeyFile?: string }) => rotateRoot(context(), newKeyFile))
}

const keyColumns: readonly Column<ApiKey>[] = [
  { head: 'KEY', cell: ({ id }) => id },
  { head: 'NAME', cell: ({ name }) => name },
  { head: 'BEGINS', cell: ({ prefix }) => `${prefix}…` },
  { head: 'LAST USED', cell: ({ lastUsedAt }) => formatMinute(lastUsedAt) },
  { head: 'EXPIRES', cell: ({ expiresAt }) => formatMinute(expiresAt) },
  { head: 'SCOPES', cell: ({ scopes: granted }) => (granted.length === scopes.length ? 'all' : granted.join(' ')) },
]

const path = async (session: Session) => `${await orgPath(session)}/api-keys`

async function listKeys(session: Session): Promise<void> {
  const { data } = await session.api.get<{ data: ApiKey[] }>(await path(session))
  printResult(session, data, () => formatTable(keyColumns, data, session.terminal.paint))
}

async function createKey(session: Session, input: NewKey): Promise<void> {
  printCreated(session, await session.api.post<CreatedKey>(await path(session), input))
}

function printCreated(session: Session, created: CreatedKey): void {
  printResult(session, created, () => [created.key])
  session.terminal.printNotice(`This is ${created.id} (${created.name}). It is shown this once: keep it now.`)
}

interface Me {
  readonly caller: { readonly id: string }
  readonly isSysop: boolean
}

/** Revoking the system operator's key by mistake would leave no key that can create another. */
async function checkNotOperators({ api }: Session, id: string): Promise<void> {
  const { caller, isSysop } = await api.get<Me>('/me')
  if (caller.id !== id || !isSysop) return
  throw new Failure(`${id} is the key of the system operator. It stays: parley keys rotate-operator replaces it.`)
}

/** Creates and prints the second key before it revokes the first. */
async function rotateOperator(session: Session): Promise<void> {
  const { caller, isSysop } = await session.api.get<Me>('/me')
  if (!isSysop) throw new Failure('This is not a key of the system operator, and only such a key makes another.')
  const {
    name,
    description,
    scopes: granted,
  } = await session.api.get<ApiKey>(`${await path(session)}/${encodeId(caller.id)}`)
  await createKey(session, { name, description, scopes: granted, isSysop: true })
  await session.api.remove(`${await path(session)}/${encodeId(caller.id)}`)
  session.terminal.printNotice(`${caller.id} opens nothing any more.`)
}

async function revokeKey(session: Session, id: string): Promise<void> {
  await checkNotOperators(session, id)
  await session.api.remove(`${await path(session)}/${encodeId(id)}`)
  session.terminal.printNotice(`${id} opens nothing any more.`)
}

/** Creates the new key before it revokes the old one, so a key can rotate itself. */
async function rotateKey(session: Session, id: string, keepOld: boolean): Promise<void> {
  if (!keepOld) await checkNotOperators(session, id)
  const {
    name,
    description,
    scopes: granted,
    expiresAt,
  } = await session.api.get<ApiKey>(`${await path(session)}/${encodeId(id)}`)
  await createKey(session, { name, description, scopes: granted, expiresAt })
  if (keepOld) session.terminal.printNotice(`${id} still opens everything it did.`)
  else await revokeKey(session, id)
}
