/** A value as JSON text: readable times, and capabilities folded because they are long and always the same. */
import type { ComponentChildren } from 'preact'

const fileForm = /data:[\w/+.-]+;base64,[\w/+=]{200,}/g

/** Cuts `data:` files in the shown value and adds their length. */
function shortenFiles(text: string): string {
  return text.replace(fileForm, (file) => `${file.slice(0, 60)}… (${file.length} characters)`)
}

/** Milliseconds since 1970 between 2017 and 2049; no other number in these bodies is as large. */
const isTime = (value: number) => Number.isInteger(value) && value > 1.5e12 && value < 2.5e12

const foldedMembers: ReadonlySet<string> = new Set(['capabilities'])

export function Json({ value, indent = '' }: { value: unknown; indent?: string }): ComponentChildren {
  if (typeof value === 'number' && isTime(value)) {
    const iso = new Date(value).toISOString()
    return (
      <time dateTime={iso} title={String(value)}>
        {JSON.stringify(iso)}
      </time>
    )
  }
  if (typeof value === 'string') return JSON.stringify(shortenFiles(value))
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const members: readonly (readonly [name: string | undefined, value: unknown])[] = isList
    ? value.map((each) => [undefined, each ?? null])
    : Object.entries(value).filter(([, each]) => each !== undefined)
  const [open, close] = isList ? '[]' : '{}'
  if (members.length === 0) return `${open}${close}`
  return (
    <>
      {open}
      {members.map(([name, each], at) => [
        `\n${inner}`,
        <Member key={at} name={name} value={each} indent={inner} end={at < members.length - 1 ? ',' : ''} />,
      ])}
      {`\n${indent}${close}`}
    </>
  )
}

interface MemberProps {
  /** Absent for items of a list. */
  name: string | undefined
  value: unknown
  indent: string
  /** The text after the value; folded with it. */
  end: string
}

function Member({ name, value, indent, end }: MemberProps) {
  const title = name === undefined ? '' : `${JSON.stringify(name)}: `
  const content = (
    <>
      <Json value={value} indent={indent} />
      {end}
    </>
  )
  if (name === undefined || !foldedMembers.has(name)) {
    return (
      <>
        {title}
        {content}
      </>
    )
  }
  return (
    <details class="fold">
      <summary class="fold-title">{title}</summary>
      {content}
    </details>
  )
}
