/** Contact files as RFC 6350 asks for them. */
import fc from 'fast-check'
import t from 'tap'
import { vcardFile } from '../../../../adapters/webchat/widget/vcard.js'

const unfold = (text: string) => text.replace(/\r\n[ \t]/g, '')
const asWritten = (text: string) =>
  text.replace(/\\(n|N|[\\;,])/g, (_, character) => (/n/i.test(character) ? '\n' : character))

/** As an address book reads it: names with their values, in order. */
function read(file: string): [name: string, value: string][] {
  const lines = unfold(file).split('\r\n')
  t.equal(lines.pop(), '', 'every line ends')
  return lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)])
}

t.test('A person with an organization keeps each field, with every text escaped', async (t) => {
  const contact = {
    name: 'Lee; Ann, "the harbor"',
    organization: 'Harbor, Hotel; Group',
    phone: '+494315550100',
    email: 'ann@harbor.example',
    url: 'https://harbor.example/ann?a=1,2;b',
  }
  t.same(read(vcardFile(contact)), [
    ['BEGIN', 'VCARD'],
    ['VERSION', '4.0'],
    ['KIND', 'individual'],
    ['FN', 'Lee\\; Ann\\, "the harbor"'],
    ['ORG', 'Harbor\\, Hotel\\; Group'],
    ['TEL;VALUE=uri', 'tel:+494315550100'],
    ['EMAIL', 'ann@harbor.example'],
    ['URL', 'https://harbor.example/ann?a=1,2;b'],
    ['END', 'VCARD'],
  ])
})

t.test('Unknown fields of a contact are omitted, and a business is not a person', async (t) => {
  t.same(read(vcardFile({ name: 'Harbor Hotel' })), [
    ['BEGIN', 'VCARD'],
    ['VERSION', '4.0'],
    ['KIND', 'org'],
    ['FN', 'Harbor Hotel'],
    ['END', 'VCARD'],
  ])
})

t.test('No text of a contact begins a new property, and each is read back unchanged', async (t) => {
  const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(words, words, (name, organization) => {
      const file = vcardFile({ name, organization, url: `https://harbor.example/${organization}` })
      t.ok(file.split('\r\n').every((line) => Buffer.byteLength(line) <= 75))
      const properties = read(file)
      t.ok(properties.length <= 7)
      t.same(
        [properties[0], properties.at(-1)],
        [
          ['BEGIN', 'VCARD'],
          ['END', 'VCARD'],
        ],
      )
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they have no place in a contact file
      const plain = (text: string) => text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
      const displayName = properties.find(([property]) => property === 'FN')?.[1] ?? ''
      t.equal(asWritten(displayName), plain(name))
    }),
  )
})
