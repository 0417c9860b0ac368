/** What the config of a catalog tool says about its arguments, beyond their schema. */
import { mailTool, webhookTool } from '../catalogs/toolbackends.js'

type Values = Readonly<Record<string, unknown>>
type Rule = (given: Values, config: Values) => string | undefined

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const rules: Readonly<Record<string, Rule>> = {
  [webhookTool]({ event }, { events }) {
    const allowed = listOf(events)
    if (allowed.length === 0 || allowed.includes(event)) return undefined
    return `event must be one of ${allowed.join(', ')}.`
  },

  /** Of the team are the addresses of the sender's domain. */
  [mailTool]({ to, replyTo }, { recipients = 'team', fromAddress }) {
    if (recipients !== 'team') return undefined
    const outside = [to, replyTo].filter((each) => each !== undefined && domainOf(each) !== domainOf(fromAddress))
    return outside.length === 0 ? undefined : `The tool writes to addresses at ${domainOf(fromAddress)} only.`
  },

  '@svc/tool.payment-link'({ amount, currency }, { currencies, maxAmount }) {
    if (currency !== undefined && !listOf(currencies).includes(currency)) {
      return `currency must be one of ${listOf(currencies).join(', ')}.`
    }
    return Number(amount) > Number(maxAmount) ? `amount must be at most ${maxAmount}.` : undefined
  },

  '@svc/tool.sheet-row'({ cells }, { columns }) {
    const unknown = Object.keys(cells as object).find((name) => !listOf(columns).includes(name))
    return unknown === undefined ? undefined : `cells.${unknown} is no column of the sheet.`
  },
}

function domainOf(address: unknown): string {
  return String(address).split('@').at(-1)!.toLowerCase()
}

/** A sentence with the reason why the config does not allow these arguments, which fit the schema. */
export function configProblem(toolId: string, given: Values, config: Values): string | undefined {
  return Object.hasOwn(rules, toolId) ? rules[toolId]!(given, config) : undefined
}
