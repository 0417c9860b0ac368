/** The script as it is served: small, and always the same. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { bundleWidget } from '../../../../adapters/webchat/bundle.js'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const mostBytes = 30_000

t.test('The widget is less than 30 kB once compressed', async (t) => {
  const bytes = gzipSync(await bundleWidget(), { level: 9 }).length
  t.ok(bytes < mostBytes, `${bytes} bytes`)
  t.ok(bytes > 10_000, 'and all of it is there')
})

t.test('The same sources always produce the same self-contained script', async (t) => {
  const script = await bundleWidget()
  t.equal(await bundleWidget(), script)
  t.notMatch(script, /\bimport\s*[({"']|\brequire\(|innerHTML=`|eval\(/)
  t.notMatch(script, root, 'and it does not reveal where it was built')
  execFileSync(process.execPath, ['--check', '-'], { input: script })
})
