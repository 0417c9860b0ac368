/**
 * `npm run adapter:new -- <channel> <provider> [--into dir]`: writes a partner's package that passes the suite
 * unchanged.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { channelNames } from '../../core/channelnames.js'
import { slugPattern } from '../../core/ids.js'
import { schemaProblems } from './suite/forms.js'

export interface ScaffoldOptions {
  readonly channel: string
  readonly provider: string
  /** The folder to create. It must be absent or empty. */
  readonly into: string
  /** The clone of Parley that the package is made from and depends on. */
  readonly parley: string
}

const slug = { type: 'string', pattern: slugPattern } as const

/** Writes the package and returns the names of its files. Throws an Error with a plain sentence when it cannot. */
export function scaffoldAdapter({ channel, provider, into, parley }: ScaffoldOptions): readonly string[] {
  const channels = channelNames.filter((name) => name !== 'webchat')
  if (!channels.some((name) => name === channel)) throw new Error(`The channel must be one of ${channels.join(', ')}.`)
  if (schemaProblems(slug, provider).length > 0)
    throw new Error('The provider must be a slug: small letters, digits and hyphens, such as pigeon-post.')
  if (existsSync(into) && readdirSync(into).length > 0) throw new Error(`${into} is there already, and not empty.`)
  mkdirSync(into, { recursive: true })
  // Relative paths are computed between real paths, since links resolve there.
  const directory = realpathSync(into)
  const parleyPath = relative(directory, realpathSync(parley)) || '.'
  const name = `parley-adapter-${provider}`
  const values: Readonly<Record<string, string>> = { channel, provider, package: name, specifier: directory }
  const template = join(parley, 'adapters/kit/template')
  const files = new Map(
    readdirSync(template).map((file) => [file, fillTemplate(readFileSync(join(template, file), 'utf8'), values)]),
  )
  files.set('package.json', `${JSON.stringify(packageJson(name, channel, provider, parleyPath), null, 2)}\n`)
  files.set('.gitignore', 'node_modules/\n')
  for (const [file, text] of files) writeFileSync(join(directory, file), text)
  linkParley(directory, parleyPath)
  return [...files.keys()].sort()
}

function fillTemplate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole)
}

function packageJson(name: string, channel: string, provider: string, parleyPath: string): object {
  return {
    name,
    version: '0.1.0',
    description: `The adapter of ${provider} for the channel ${channel} of Parley`,
    private: true,
    type: 'module',
    main: './index.js',
    exports: './index.js',
    scripts: { test: 'node --test' },
    dependencies: { parley: `file:${parleyPath.startsWith('.') ? parleyPath : `./${parleyPath}`}` },
  }
}

/** Links the clone as `npm install` would, so that the package runs at once and without a network. */
function linkParley(directory: string, parleyPath: string): void {
  const modules = join(directory, 'node_modules')
  mkdirSync(modules, { recursive: true })
  symlinkSync(join('..', parleyPath), join(modules, 'parley'), 'dir')
}

const isMain = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
if (isMain) run()

function run(): void {
  const program = new Command('adapter:new')
    .description('Write a package for the adapter of a provider')
    .argument('<channel>', channelNames.filter((name) => name !== 'webchat').join(', '))
    .argument('<provider>', 'how the provider is called in bindings, such as pigeon-post')
    .option('--into <dir>', 'the folder to make; absent: parley-adapter-<provider> beside this clone')
    .action((channel: string, provider: string, { into }: { into?: string }) => {
      const parley = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
      const directory = resolve(into ?? join(parley, '..', `parley-adapter-${provider}`))
      try {
        const files = scaffoldAdapter({ channel, provider, into: directory, parley })
        process.stdout.write(`${directory}\n${files.map((file) => `  ${file}`).join('\n')}\n\n`)
        process.stdout.write(`Try it:  cd ${directory} && npm test\nRun it:  PARLEY_ADAPTERS=${directory} npm start\n`)
      } catch (error) {
        process.stderr.write(`${(error as Error).message}\n`)
        process.exitCode = 2
      }
    })
  program.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  program.parse()
}
