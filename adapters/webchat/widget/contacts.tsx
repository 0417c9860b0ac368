/** Contacts that the agent shared, each with a button to save it. */
import type { Contact } from '../frames.js'
import { saveFile } from './download.js'
import { Icon } from './icons.js'
import { vcardFile } from './vcard.js'
import { words } from './words.js'

export function Contacts({ contacts }: { contacts: readonly Contact[] }) {
  if (contacts.length === 0) return null
  const save = (contact: Contact) => saveFile(contact.name, 'vcf', 'text/vcard', vcardFile(contact))
  return (
    <fieldset class="chips" aria-label={words.contacts}>
      {contacts.map((contact, at) => (
        <button key={at} type="button" class="chip action" onClick={() => save(contact)}>
          <Icon name="contact" />
          <span dir="auto">{contacts.length > 1 ? words.saveContactOf(contact.name) : words.saveContact}</span>
        </button>
      ))}
    </fieldset>
  )
}
