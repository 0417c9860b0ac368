/** Behind a bubble: what the provider got, what the agent wrote, and what is on record of it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Channel, chatLine, deed, message } from './api.js'

export type Asked =
  | { readonly kind: 'message'; readonly channel: Channel; readonly name: string }
  | { readonly kind: 'deed'; readonly number: number }
  | { readonly kind: 'chat'; readonly cursor: number }

interface Section {
  readonly title: string
  readonly value: unknown
}

async function sectionsOf(asked: Asked): Promise<readonly Section[]> {
  if (asked.kind === 'deed') {
    const { events, records, ...done } = await deed(asked.number)
    return [
      { title: 'What was done', value: { ...done, records } },
      { title: 'Events', value: events },
    ]
  }
  const {
    message: amf,
    wires,
    events,
    ...rest
  } = asked.kind === 'chat' ? await chatLine(asked.cursor) : await message(asked.channel, asked.name)
  return [
    { title: 'Wire body', value: wires },
    ...(amf === undefined ? [] : [{ title: 'AMF message', value: amf }]),
    { title: 'Events', value: events },
    { title: 'On record', value: rest },
  ]
}

const fileForm = /data:[\w/+.-]+;base64,[\w/+=]{200,}/g

/** Files that stand in what is shown are cut off, with how long they are. */
function shortened(_name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value.replace(fileForm, (file) => `${file.slice(0, 60)}… (${file.length} characters)`)
}

export function RawView({ asked, close }: { asked: Asked; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [sections, setSections] = useState<readonly Section[]>()
  const [trouble, setTrouble] = useState<string>()

  useEffect(() => {
    dialog.current?.showModal()
    sectionsOf(asked).then(setSections, (error: Error) => setTrouble(error.message))
  }, [asked])

  return (
    <dialog ref={dialog} class="behind" aria-labelledby="behind-title" onClose={close}>
      <header>
        <h2 id="behind-title">Behind the bubble</h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {trouble && <p class="notice">{trouble}</p>}
      <div class="sections">
        {sections?.map(({ title, value }) => (
          <section key={title}>
            <h3>{title}</h3>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached without a mouse */}
            <pre tabIndex={0}>{JSON.stringify(value, shortened, 2)}</pre>
          </section>
        ))}
      </div>
    </dialog>
  )
}
