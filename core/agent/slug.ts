/** Ids from names: a name in the characters that a path may hold. */

const maxChars = 63

/** Always a slug: a name without a Latin letter or digit becomes `fallback`. */
export function slugOf(name: string, fallback = 'agent'): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const slug = truncateSlug(plain.replace(/[^a-z0-9]+/g, '-').replace(/^-/, ''), maxChars)
  return slug === '' ? fallback : slug
}

/** The slug itself, then `slug-2`, `slug-3` and so on, each a slug again. */
export function withNumber(slug: string, nth: number): string {
  if (nth === 1) return slug
  const suffix = `-${nth}`
  return truncateSlug(slug, maxChars - suffix.length) + suffix
}

/** The first of those that is not taken. */
export function freeSlug(name: string, fallback: string, isTaken: (slug: string) => boolean): string {
  return createSlugGenerator(isTaken)(name, fallback)
}

/**
 * Gives each name its own slug. The counter of a repeated slug goes on from its last number, so that many equal names
 * are quick.
 */
export function createSlugGenerator(isTaken: (slug: string) => boolean): (name: string, fallback: string) => string {
  const counts = new Map<string, number>()
  return (name, fallback) => {
    const slug = slugOf(name, fallback)
    for (let nth = (counts.get(slug) ?? 0) + 1; ; nth++) {
      const candidate = withNumber(slug, nth)
      if (isTaken(candidate)) continue
      counts.set(slug, nth)
      return candidate
    }
  }
}

function truncateSlug(text: string, chars: number): string {
  return text.slice(0, chars).replace(/-+$/, '')
}
