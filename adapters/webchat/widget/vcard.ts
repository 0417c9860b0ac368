/** A contact as a vCard file (RFC 6350). */
import type { Contact } from '../frames.js'
import { escapeText, propertyLines } from './textfile.js'

export function vcardFile({ name, organization, phone, email, url }: Contact): string {
  return propertyLines([
    ['BEGIN', 'VCARD'],
    ['VERSION', '4.0'],
    // A business has no first and last name.
    ['KIND', organization === undefined || organization === name ? 'org' : 'individual'],
    ['FN', escapeText(name)],
    ['ORG', organization && escapeText(organization)],
    ['TEL;VALUE=uri', phone && `tel:${phone.replace(/[^\d+]/g, '')}`],
    ['EMAIL', email && escapeText(email)],
    ['URL', url && uri(url)],
    ['END', 'VCARD'],
  ])
}

/** Removes white space, since a line break would start another property. */
function uri(url: string): string {
  return url.replace(/\s/g, '')
}
