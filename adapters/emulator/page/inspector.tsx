/** The inspector of a bubble: the body that the provider got, the agent's message, and its records. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Channel, fetchAct, fetchTranscriptEntry, message } from './api.js'
import { Json } from './json.js'

export type InspectTarget =
  | { readonly kind: 'message'; readonly channel: Channel; readonly name: string }
  | { readonly kind: 'act'; readonly number: number }
  | { readonly kind: 'chat'; readonly cursor: number; readonly visitor?: string }

interface Section {
  readonly title: string
  readonly value: unknown
}

async function sectionsOf(target: InspectTarget): Promise<readonly Section[]> {
  if (target.kind === 'act') {
    const { events, answers, refusals, records, ...act } = await fetchAct(target.number)
    return [
      { title: 'What was done', value: { ...act, records } },
      { title: 'Events', value: events },
      ...((refusals as unknown[]).length === 0 ? [] : [{ title: 'Refused answer', value: { refusals, answers } }]),
    ]
  }
  const {
    message: amf,
    wires,
    events,
    ...rest
  } = target.kind === 'chat'
    ? await fetchTranscriptEntry(target.cursor, target.visitor)
    : await message(target.channel, target.name)
  return [
    { title: 'Wire body', value: wires },
    ...(amf === undefined ? [] : [{ title: 'AMF message', value: amf }]),
    { title: 'Events', value: events },
    { title: 'On record', value: rest },
  ]
}

export function Inspector({ target, close }: { target: InspectTarget; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [sections, setSections] = useState<readonly Section[]>()
  const [problem, setProblem] = useState<string>()

  useEffect(() => {
    dialog.current?.showModal()
    sectionsOf(target).then(setSections, (error: Error) => setProblem(error.message))
  }, [target])

  return (
    <dialog ref={dialog} class="behind" aria-labelledby="behind-title" onClose={close}>
      <header>
        <h2 id="behind-title">Behind the bubble</h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {problem && <p class="notice">{problem}</p>}
      <div class="sections">
        {sections?.map(({ title, value }) => (
          <section key={title}>
            <div class="head">
              <h3>{title}</h3>
              <Copy title={title} value={value} />
            </div>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
            <pre tabIndex={0}>
              <Json value={value} />
            </pre>
          </section>
        ))}
      </div>
    </dialog>
  )
}

/** Copies the exact value. Browsers have no clipboard on insecure pages: then there is no button. */
function Copy({ title, value }: { title: string; value: unknown }) {
  const [copied, setCopied] = useState('')
  if (!navigator.clipboard) return null
  const copy = () =>
    navigator.clipboard.writeText(JSON.stringify(value, null, 2)).then(
      () => setCopied('Copied'),
      () => setCopied('Not copied'),
    )
  return (
    <span class="copy">
      <span role="status">{copied}</span>
      <button type="button" aria-label={`Copy: ${title}`} onClick={copy}>
        Copy
      </button>
    </span>
  )
}
