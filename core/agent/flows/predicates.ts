/** What the value of a slot is held to: an expression between slashes, or a predicate by name. */
import { asExpression, isPattern, readExpression } from '../pattern/index.js'

const named: Readonly<Record<string, (value: string) => boolean>> = {
  email: (value) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value),
  phone: (value) => /^\+?[0-9(][0-9 ().-]{4,}$/.test(value),
  number: (value) => value.trim() !== '' && Number.isFinite(Number(value)),
  integer: (value) => /^[+-]?\d+$/.test(value.trim()),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value),
  url: (value) => /^https?:\/\/\S+$/i.test(value),
  nonempty: (value) => value.trim() !== '',
}

const measured: Readonly<Record<string, (value: string, bound: number) => boolean>> = {
  min: (value, bound) => Number(value) >= bound,
  max: (value, bound) => Number(value) <= bound,
  minLength: (value, bound) => value.length >= bound,
  maxLength: (value, bound) => value.length <= bound,
}

export const predicateNames = [...Object.keys(named), ...Object.keys(measured).map((name) => `${name}:<number>`)]

export type Predicate =
  | { readonly accepts: (value: string) => boolean }
  | { readonly problem: string }
  | { readonly unknown: string }

export function readPredicate(written: string): Predicate {
  const expression = asExpression(written)
  if (expression) {
    const read = readExpression(expression.source, expression.flags)
    return isPattern(read) ? { accepts: (value) => read.matches(value) } : read
  }
  const whole = named[written]
  if (Object.hasOwn(named, written) && whole) return { accepts: whole }
  const [, name = '', bound = ''] = /^([A-Za-z]+):(-?\d+(?:\.\d+)?)$/.exec(written) ?? []
  const measure = Object.hasOwn(measured, name) ? measured[name] : undefined
  return measure ? { accepts: (value) => measure(value, Number(bound)) } : { unknown: written }
}
