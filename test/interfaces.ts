/** Interfaces in a source that the formatter has laid out: their members, and whether one of these is a function. */
import { withoutComments } from './sourcetext.js'

export interface InterfaceMembers {
  readonly name: string
  readonly members: number
  /** A data record has none. */
  readonly hasFunctions: boolean
}

/** Relies on the formatter: in an interface, exactly the first line of each member is indented by two spaces. */
export function interfacesIn(source: string): InterfaceMembers[] {
  const text = withoutComments(source)
  return [...text.matchAll(/^(?:export )?interface (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)].map(([, name = '', body = '']) => {
    const members = body.split(/^ {2}(?=[\w$'"[(<])/m).slice(1)
    return { name, members: members.length, hasFunctions: members.some(isFunction) }
  })
}

/** A method, or a property whose type has an arrow. */
function isFunction(member: string): boolean {
  return /^(?:readonly )?[\w$]*\??(?:<[^(]*>)?\(/.test(member) || member.includes('=>')
}
