/** The script of the emulator page as it is served: whole by itself, and always the same. */
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { bundlePage } from '../../../../adapters/emulator/bundle.js'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

t.test('The same sources always produce the same self-contained script', async (t) => {
  const script = await bundlePage()
  t.equal(await bundlePage(), script)
  t.notMatch(script, /\bimport\s*[({"']|\brequire\(|eval\(/)
  t.notMatch(script, root, 'and it does not reveal where it was built')
})
