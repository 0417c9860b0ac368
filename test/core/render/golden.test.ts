/** What every channel makes of every part, kept in files that people review. `UPDATE_GOLDEN=1` writes them again. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import t from 'tap'
import { partTypes, validateMessage } from '../../../core/amf/index.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { channelNames } from '../../../core/channelnames.js'
import { render } from '../../../core/render/index.js'
import { cases } from './cases.js'
import { print } from './print.js'

const folder = resolve(import.meta.dirname, '../../../../test/core/render/golden')
const reader = { locale: 'en-US', zone: 'America/New_York' }

/** Channels that show the same stand together, so that a reader sees what differs. */
function page(name: keyof typeof cases): string {
  const sections = Object.entries(cases[name]).map(([title, message]) => {
    const byText = new Map<string, string[]>()
    for (const channel of channelNames) {
      const text = print(render(message, traitsOf(channel), reader))
      byText.set(text, [...(byText.get(text) ?? []), channel])
    }
    const outputs = [...byText].map(([text, channels]) => `== ${channels.join(', ')}\n${text}\n`)
    return `#### ${name} ${title}\n\n${outputs.join('\n')}`
  })
  return sections.join('\n')
}

t.test('Every part has a golden file, and every golden file has a part', async (t) => {
  t.same(Object.keys(cases).sort(), [...partTypes, 'chips'].sort())
  t.same(
    readdirSync(folder)
      .map((file) => basename(file, '.txt'))
      .sort(),
    Object.keys(cases).sort(),
  )
})

for (const name of Object.keys(cases) as (keyof typeof cases)[]) {
  t.test(`${name} is rendered on every channel as its golden file shows`, async (t) => {
    for (const [title, message] of Object.entries(cases[name]))
      t.hasProp(validateMessage(message), 'message', `${title} is valid`)
    const path = join(folder, `${name}.txt`)
    const now = page(name)
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, now)
    t.ok(existsSync(path), `${name}.txt exists`)
    t.equal(now, readFileSync(path, 'utf8'))
  })
}
