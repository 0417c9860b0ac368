/** The inspector of a bubble: the body that the provider got, the agent's message, and its records, as JSON. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { AgentApi } from './api.js'
import { fetchDetails, type InspectTarget } from './details.js'
import { Json } from './json.js'

interface Section {
  readonly title: string
  readonly value: unknown
}

async function sectionsOf(api: AgentApi, target: InspectTarget, hasWebhook: boolean): Promise<readonly Section[]> {
  const { message, wires, events, turn, answers, refusals = [], ...rest } = await fetchDetails(api, target)
  const turnSections = turn === undefined ? [] : [{ title: 'Turn', value: turn }]
  const eventSections = hasWebhook ? [{ title: 'Events', value: events }] : []
  if (target.kind === 'act') {
    return [
      { title: 'What was done', value: rest },
      ...turnSections,
      ...eventSections,
      ...((refusals as unknown[]).length === 0 ? [] : [{ title: 'Refused answer', value: { refusals, answers } }]),
    ]
  }
  return [
    { title: 'Wire body', value: wires },
    ...(message === undefined ? [] : [{ title: 'AMF message', value: message }]),
    ...turnSections,
    ...eventSections,
    { title: 'On record', value: rest },
  ]
}

interface InspectorProps {
  api: AgentApi
  target: InspectTarget
  /** Events go to a webhook alone. */
  hasWebhook: boolean
  close: () => void
}

export function Inspector({ api, target, hasWebhook, close }: InspectorProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [sections, setSections] = useState<readonly Section[]>()
  const [problem, setProblem] = useState<string>()

  useEffect(() => {
    dialog.current?.showModal()
    sectionsOf(api, target, hasWebhook).then(setSections, (error: Error) => setProblem(error.message))
  }, [api, target, hasWebhook])

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
