/** What is read of web pages and files. */
import fc from 'fast-check'
import t from 'tap'
import { textOfHtml } from '../../../core/knowledge/html.js'
import { decodeText } from '../../../core/knowledge/sourcetext.js'

t.test('The readable text of a page is extracted, in paragraphs', async (t) => {
  const page = `<!doctype html><html><head><title>T</title><style>p{}</style></head><body>
    <nav><a href="/">Home</a></nav>
    <!-- <p>hidden</p> -->
    <h1>Opening   hours</h1><p>Mon&ndash;Fri, 9&nbsp;to&#32;5 &amp; by<br>appointment &#x2603;</p>
    <ul><li>Cuts</li><li title="a > b">Colour</li></ul>
    <table><tr><th>Cut</th><td>30 &euro;</td></tr></table>
    <script>if (a < b) document.write("<p>no</p>")</script><pre>a  b
c</pre>1 < 2 &unknown; AT&T</body></html>`
  t.equal(
    textOfHtml(page),
    [
      '# Opening hours',
      'Mon–Fri, 9 to 5 & by\nappointment ☃',
      '- Cuts\n- Colour',
      'Cut 30 €',
      'a b\nc',
      '1 < 2 &unknown; AT&T',
    ].join('\n\n'),
  )
})

t.test('Reading any page ends and leaves no markup of closed tags', async (t) => {
  const piece = fc.constantFrom(
    '<',
    '>',
    '<p>',
    '</p>',
    '<script>',
    '</script',
    '<!--',
    '-->',
    '"',
    "'",
    '&#x110000;',
    '&amp',
    '<a href="',
    'x',
    '</',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = textOfHtml(pieces.join(''))
      t.ok(!/<\/?(p|script)>/.test(text), text)
      t.equal(typeof textOfHtml(`${pieces.join('')}`.repeat(50)), 'string')
    }),
  )
  t.equal(textOfHtml('<script>'.repeat(20_000)), '')
  t.equal(textOfHtml(`${'<a '.repeat(20_000)}`), '')
  t.equal(textOfHtml('<'.repeat(5)), '<'.repeat(5))
})

t.test('Content is read by its type and character set, and other content is refused as no text', async (t) => {
  const bytes = (text: string) => Buffer.from(text)
  t.same(decodeText(bytes('Hé'), 'text/plain'), { text: 'Hé' })
  t.same(decodeText(bytes('\ufeff# T'), 'Text/Markdown; charset=UTF-8'), { text: '# T' })
  t.same(decodeText(Buffer.from([0x48, 0xe9]), 'text/plain; charset="iso-8859-1"'), { text: 'Hé' })
  t.same(decodeText(bytes('<p>Hi</p>'), 'text/html'), { text: 'Hi' })
  for (const [content, type, problem] of [
    [Buffer.from([0x48, 0xe9]), 'text/plain', 'is not text in utf-8'],
    [bytes('a\0b'), 'text/plain', 'holds NUL or half a surrogate pair'],
    [bytes(' \n'), 'text/plain', 'holds no text'],
    [bytes('<script>1</script>'), 'text/html', 'holds no text'],
    [bytes('x'), 'text/plain; charset=klingon', 'is written in a character set that is not known'],
  ] as const) {
    t.same(decodeText(content, type), { problem })
  }
  for (const type of ['application/pdf', '', 'image/png', 'constructor']) {
    t.match(decodeText(bytes('x'), type), { problem: /type that is not read/ })
  }
})
