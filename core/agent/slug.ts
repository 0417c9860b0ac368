/** Ids from names: what a person calls something, in the letters that a path may hold. */

const mostChars = 63

/** Always a slug, whatever the name: one without a letter or digit of the Latin alphabet is called `nameless`. */
export function slugOf(name: string, nameless = 'agent'): string {
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

/** The first of those that is not taken. */
export function freeSlug(name: string, nameless: string, isTaken: (slug: string) => boolean): string {
  return slugGiver(isTaken)(name, nameless)
}

/** Gives each name a slug of its own. A slug that was asked for before goes on where it stopped, so that many are quick. */
export function slugGiver(isTaken: (slug: string) => boolean): (name: string, nameless: string) => string {
  const counts = new Map<string, number>()
  return (name, nameless) => {
    const slug = slugOf(name, nameless)
    for (let nth = (counts.get(slug) ?? 0) + 1; ; nth++) {
      const candidate = numbered(slug, nth)
      if (isTaken(candidate)) continue
      counts.set(slug, nth)
      return candidate
    }
  }
}

function trimmed(text: string, chars: number): string {
  return text.slice(0, chars).replace(/-+$/, '')
}
