/** The whole page: who is met, the phones side by side, and a place to write AML. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import * as api from './api.js'
import { Editor } from './editor.js'
import { Entry } from './entry.js'
import { PhoneView, WebChat } from './phone.js'
import { type Asked, RawView } from './raw.js'
import { silence, type Talk, withNews } from './talk.js'

/** What the page shows of a node that does not answer, and of one that has been asked and has. */
type Trouble = 'unreachable' | undefined

export function App() {
  const [stage, setStage] = useState<api.Stage>()
  const [out, setOut] = useState<api.NoTicket>()
  const [absent, setAbsent] = useState<string>()

  const open = useCallback(() => {
    setOut(undefined)
    api.stage().then(setStage, (error: Error) => {
      if (error instanceof api.NoTicket) setOut(error)
      else setAbsent(error.message)
    })
  }, [])
  useEffect(open, [open])

  return (
    <>
      <header class="top">
        <h1>Parley emulator</h1>
        {stage && (
          <p>
            You talk to <strong>{stage.name}</strong>. Phones draw what the provider was sent; <code>{'{ }'}</code>{' '}
            shows it raw.
          </p>
        )}
        <a href="v1/docs">API docs</a>
      </header>
      <main>
        {out ? (
          <Entry wasRefused={out.wasRefused} entered={open} />
        ) : stage ? (
          <Floor stage={stage} out={setOut} />
        ) : null}
        {absent && !stage && !out && <p class="notice">{absent}</p>}
      </main>
    </>
  )
}

function Floor({ stage, out }: { stage: api.Stage; out: (how: api.NoTicket) => void }) {
  const [asked, setAsked] = useState<Asked>()
  const [visitor, setVisitor] = useState<string>()
  const { talk, trouble, look } = useTalk(stage, visitor, out)
  const [complaint, setComplaint] = useState<string>()

  /** Whether it was done; otherwise the page says why not. */
  async function tried(deed: Promise<unknown>): Promise<boolean> {
    setComplaint(undefined)
    try {
      await deed
    } catch (error) {
      if (error instanceof api.NoTicket) out(error)
      else if (!(error instanceof api.Unreachable)) setComplaint((error as Error).message)
      return false
    } finally {
      look()
    }
    return true
  }

  return (
    <>
      <div class="told" role="status">
        {trouble === 'unreachable' && (
          <p class="notice">The node does not answer. The page goes on once it does; what you write stays here.</p>
        )}
        {complaint && <p class="notice">{complaint}</p>}
      </div>
      <nav class="jumps" aria-label="Phones">
        {stage.phones.map(({ channel }) => (
          <a key={channel} href={`#${channel}`}>
            {titles[channel]}
          </a>
        ))}
        {stage.chatUrl && <a href="#webchat">Web chat</a>}
        <a href="#aml">AML</a>
      </nav>
      <div class="phones">
        {stage.phones.map((phone) => (
          <PhoneView
            key={phone.channel}
            title={titles[phone.channel]}
            phone={phone}
            talk={talk.phones[phone.channel]}
            pictureChars={stage.pictureChars}
            does={(what) => tried(api.act(phone.channel, what))}
            sends={(picture) => tried(api.picture(phone.channel, picture))}
            ask={setAsked}
          />
        ))}
        {stage.chatUrl && (
          <WebChat url={stage.chatUrl} lines={talk.chat} visitor={visitor} ask={setAsked} meet={setVisitor} />
        )}
      </div>
      <Editor waitMs={stage.compileAfterMs} visitor={visitor} sent={look} />
      {asked && <RawView asked={asked} close={() => setAsked(undefined)} />}
    </>
  )
}

const titles: Readonly<Record<api.Channel, string>> = {
  rcs: 'RCS',
  sms: 'SMS',
  messengerA: 'Messenger A',
  vendorMessages: 'Vendor Messages',
}

/** Asks for news again and again, while somebody looks. A node that was away may have begun anew: so does the page. */
function useTalk({ pollMs }: api.Stage, visitor: string | undefined, out: (how: api.NoTicket) => void) {
  const [talk, setTalk] = useState<Talk>(silence)
  const [trouble, setTrouble] = useState<Trouble>()
  const newest = useRef(silence)
  const looking = useRef<Promise<void>>(undefined)

  const once = useCallback(async () => {
    try {
      const { sent, acts } = newest.current
      newest.current = withNews(newest.current, await newsOf(sent, acts, visitor))
      setTrouble(undefined)
    } catch (error) {
      if (error instanceof api.NoTicket) return out(error)
      newest.current = silence
      setTrouble('unreachable')
      return
    }
    setTalk(newest.current)
  }, [out, visitor])

  /** One at a time: a second one would be told the same news again. */
  const look = useCallback(() => {
    looking.current = (looking.current ?? Promise.resolve()).then(once)
    return looking.current
  }, [once])

  useEffect(() => {
    let timer = 0
    let isOver = false
    async function round() {
      if (!document.hidden) await look()
      if (!isOver) timer = setTimeout(round, pollMs)
    }
    void round()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [look, pollMs])

  return { talk, trouble, look }
}

/** Without a visitor in view there are no lines of the chat: those of another visitor do not belong here. */
async function newsOf(sent: number, acts: number, visitor: string | undefined): Promise<api.News> {
  const news = await api.news(sent, acts, visitor)
  return visitor === undefined ? { ...news, chat: [] } : news
}
