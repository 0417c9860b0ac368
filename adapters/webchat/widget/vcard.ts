/** A contact as a vCard (RFC 6350), made in the page: whoever opens the file keeps it among their own. */
import type { Contact } from '../frames.js'
import { escapeText, propertyLines } from './textfile.js'

export function vcardFile({ name, organization, phone, email, url }: Contact): string {
  return propertyLines([
    ['BEGIN', 'VCARD'],
    ['VERSION', '4.0'],
    // A business is not a person with a first name and a last one.
    ['KIND', organization === undefined || organization === name ? 'org' : 'individual'],
    ['FN', escapeText(name)],
    ['ORG', organization && escapeText(organization)],
    ['TEL;VALUE=uri', phone && `tel:${phone.replace(/[^\d+]/g, '')}`],
    ['EMAIL', email && escapeText(email)],
    ['URL', url && uri(url)],
    ['END', 'VCARD'],
  ])
}

/** An address is written as it is; only what would begin another line is taken out of it. */
function uri(url: string): string {
  return url.replace(/\s/g, '')
}
