/** What people write on Slack, read as they wrote it. */
import fc from 'fast-check'
import t from 'tap'
import { plainText } from '../../../../adapters/workchat/slack/plaintext.js'

const written = [
  ['a &lt; b &amp;&amp; c &gt; d', 'a < b && c > d'],
  ['&amp;lt; stays escaped once', '&lt; stays escaped once'],
  ['see <https://roma.example/menu>', 'see https://roma.example/menu'],
  ['see <http://roma.example|roma.example>', 'see roma.example'],
  ['see <https://roma.example/menu?a=1&amp;b=2|the menu>', 'see the menu (https://roma.example/menu?a=1&b=2)'],
  ['write to <mailto:ada@roma.example|ada@roma.example>', 'write to ada@roma.example'],
  ['call <tel:+14155550100|+14155550100>', 'call +14155550100'],
  ['hi <@U2CERLKJA>', 'hi @U2CERLKJA'],
  ['hi <@U2CERLKJA|ada>', 'hi @ada'],
  ['in <#C061EG9SL|general>', 'in #general'],
  ['<!here> look', '@here look'],
] as const

t.test('Links, names and escaped characters are converted to plain text', async (t) => {
  for (const [raw, plain] of written) t.equal(plainText(raw), plain, raw)
})

t.test('Any text that Slack escapes is restored unchanged', async (t) => {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  fc.assert(fc.property(fc.string(), (text) => plainText(escaped(text)) === text))
  t.pass('for every text')
})
