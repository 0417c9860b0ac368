/** Validation of slot values: an expression between slashes, or a predicate by name. */
import { asExpression, isPattern, readExpression } from '../pattern/index.js'

const plainPredicates: Readonly<Record<string, (value: string) => boolean>> = {
  email: (value) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value),
  phone: (value) => /^\+?[0-9(][0-9 ().-]{4,}$/.test(value),
  number: (value) => value.trim() !== '' && Number.isFinite(Number(value)),
  integer: (value) => /^[+-]?\d+$/.test(value.trim()),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value),
  url: (value) => /^https?:\/\/\S+$/i.test(value),
  nonempty: (value) => value.trim() !== '',
}

const boundedPredicates: Readonly<Record<string, (value: string, bound: number) => boolean>> = {
  min: (value, bound) => Number(value) >= bound,
  max: (value, bound) => Number(value) <= bound,
  minLength: (value, bound) => value.length >= bound,
  maxLength: (value, bound) => value.length <= bound,
}

export const predicateNames = [
  ...Object.keys(plainPredicates),
  ...Object.keys(boundedPredicates).map((name) => `${name}:<number>`),
]

export type Predicate =
  | { readonly accepts: (value: string) => boolean }
  | { readonly problem: string }
  | { readonly unknown: string }

export function readPredicate(source: string): Predicate {
  const expression = asExpression(source)
  if (expression) {
    const read = readExpression(expression.source, expression.flags)
    return isPattern(read) ? { accepts: (value) => read.matches(value) } : read
  }
  const predicate = plainPredicates[source]
  if (Object.hasOwn(plainPredicates, source) && predicate) return { accepts: predicate }
  const [, name = '', bound = ''] = /^([A-Za-z]+):(-?\d+(?:\.\d+)?)$/.exec(source) ?? []
  const boundedPredicate = Object.hasOwn(boundedPredicates, name) ? boundedPredicates[name] : undefined
  return boundedPredicate ? { accepts: (value) => boundedPredicate(value, Number(bound)) } : { unknown: source }
}
