/** Converts Slack's markup in messages of people to plain text: links, names and the three escaped characters. */

const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

export function plainText(text: string): string {
  return text
    .replace(/<([^<>|]{1,4000})(?:\|([^<>]{0,4000}))?>/g, (_, target: string, label?: string) =>
      linkText(target, label),
    )
    .replace(/&(?:amp|lt|gt);/g, (entity) => entities[entity]!)
}

/** A link whose label is its own URL becomes the URL; a link with another label keeps both. */
function linkText(target: string, label: string | undefined): string {
  if (target.startsWith('@')) return label ? `@${label}` : target
  if (target.startsWith('#')) return label ? `#${label}` : target
  if (target.startsWith('!')) return label ?? `@${target.slice(1)}`
  const address = target.replace(/^(?:mailto|tel):/, '')
  if (!label || address.endsWith(label)) return label || address
  return `${label} (${address})`
}
