/** Options of the commands that run tests by hand. */
import { InvalidArgumentError } from 'commander'

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It is a whole number.')
  return Number(text)
}
