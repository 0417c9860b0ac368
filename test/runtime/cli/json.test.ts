/** What the command line tells a program that something failed. */
import t from 'tap'
import { run } from '../../../runtime/cli/program.js'
import { subcommands } from '../../../runtime/cli/subcommands.js'
import { exitCode } from './parley.js'

async function runFailing(args: readonly string[], more: Parameters<typeof run>[2] = []) {
  let [stdout, stderr] = ['', '']
  const context = {
    env: {},
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  }
  const code = await run(args, context, [...subcommands, ...more])
  t.equal(stdout, '', args.join(' '))
  return { code, ...JSON.parse(stderr) }
}

t.test('With --json every failure is printed as JSON, usage errors included', async (t) => {
  const cases: [readonly string[], RegExp][] = [
    [['nosuchverb'], /^unknown command 'nosuchverb'/],
    [['shrads'], /Did you mean shards\?/],
    [['send'], /^missing required argument 'agent'/],
    [['send', 'desk', 'welcome', '--nosuch'], /^unknown option '--nosuch'/],
    [['shards', 'move', 'three', 'n2'], /^command-argument value 'three' is invalid.*It wants a whole number/],
    [['campaign'], /^There is no verb\. Add --help to see what can be asked\.$/],
    [[], /^There is no verb\./],
    [['shards'], /^There is no API key\./],
  ]
  for (const [args, message] of cases) {
    for (const written of [
      ['--json', ...args],
      [...args, '--json'],
    ]) {
      const wrong = exitCode.wrongUsage
      t.match(await runFailing(written), { code: wrong, error: { message, exitCode: wrong } }, written.join(' '))
    }
  }
})

t.test('A bug of the command is JSON as well', async (t) => {
  const broken = await runFailing(
    ['--json', 'broken'],
    [
      (program) =>
        void program.command('broken').action(() => {
          throw new Error('out of order')
        }),
    ],
  )
  t.match(broken, { code: 3, error: { message: /bug of parley itself.*out of order/, exitCode: 3 } })
})
