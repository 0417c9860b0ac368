/** Ids from names: what a person calls an agent, in the letters that a path may hold. */

const mostChars = 63
const nameless = 'agent'

/** Always a slug, whatever the name: one without a letter or digit of the Latin alphabet is called `agent`. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const slug = trimmed(plain.replace(/[^a-z0-9]+/g, '-').replace(/^-/, ''), mostChars)
  return slug === '' ? nameless : slug
}

/** The slug itself, then `slug-2`, `slug-3` and so on, each a slug again. */
export function numbered(slug: string, nth: number): string {
  if (nth === 1) return slug
  const ending = `-${nth}`
  return trimmed(slug, mostChars - ending.length) + ending
}

function trimmed(text: string, chars: number): string {
  return text.slice(0, chars).replace(/-+$/, '')
}
