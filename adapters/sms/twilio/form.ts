/** The parameters of a form, as they stand in a body. */

export interface Parameter {
  readonly name: string
  readonly value: string
}

export type Form = readonly Parameter[]

/**
 * Reads what the platform's `URLSearchParams` reads from behind a question mark, with a fraction of its objects: a call
 * of the provider has two dozen parameters, and each is looked at once or twice.
 */
export function readForm(text: string): Form {
  const form: Parameter[] = []
  for (const piece of text.split('&')) {
    if (piece === '') continue
    const equals = piece.indexOf('=')
    const name = equals < 0 ? piece : piece.slice(0, equals)
    form.push({ name: decoded(name), value: equals < 0 ? '' : decoded(piece.slice(equals + 1)) })
  }
  return form
}

/** The first value under that name; undefined where there is none. */
export function valueIn(form: Form, name: string): string | undefined {
  for (const parameter of form) if (parameter.name === name) return parameter.value
  return undefined
}

function decoded(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    // No text in UTF-8: the platform knows what stands for the rest.
    return new URLSearchParams(`=${text}`).get('') ?? ''
  }
}
