/** The AML editor: shows problems while the user types, and a preview for each channel. */
import { useEffect, useState } from 'preact/hooks'
import type { Preview } from '../../../core/render/preview.js'
import type { AgentApi, CompileResult, Diagnostic } from './api.js'
import { drawingOfBlock } from './blocks.js'
import { DrawingView } from './bubble.js'
import { Help } from './help.js'

const initialAml = `Welcome to the **Harbor**.

[[ask.choice #drink | What may we bring you while you wait?
coffee = Coffee ~ From the roaster next door
tea = Tea ~ Mint, or black
]]
[[chips: Opening hours | Our site -> https://harbor.example]]`

const channels = [
  ['rcs', 'RCS'],
  ['sms', 'SMS'],
  ['messengerA', 'Messenger A'],
  ['vendorMessages', 'Vendor Messages'],
  ['webchat', 'Web chat'],
] as const

/** Delay until the text is compiled again after a request without an answer. */
const retryMs = 1_000

const titleOf = (channel: string) => channels.find(([name]) => name === channel)?.[1]

/** Texts for reasons why the agent could not send; other reasons show by name. */
const refusals: Readonly<Record<string, string>> = {
  unknownRecipient: 'Nobody has written there yet. Say hello first, and then send again.',
  optedOut: 'Whoever is there does not want to be written to, until they write START.',
  windowClosed: 'There, an agent may answer for a day after the person wrote. Say hello first.',
}

interface EditorProps {
  /** Of the agent that sends. */
  api: AgentApi
  waitMs: number
  /** The visitor whose web chat is in view. */
  visitor: string | undefined
}

export function Editor({ api, waitMs, visitor }: EditorProps) {
  const [aml, setAml] = useState(initialAml)
  const [result, setResult] = useState<{ readonly aml: string; readonly compiled: CompileResult }>()
  const [isUnreachable, setUnreachable] = useState(false)
  const [channel, setChannel] = useState<(typeof channels)[number][0]>('sms')
  const [status, setStatus] = useState('')

  // What was sent for another agent says nothing of this one.
  useEffect(() => setStatus(''), [api])

  useEffect(() => {
    let isStale = false
    let timer = setTimeout(run, waitMs)
    async function run() {
      try {
        const compiled = await api.compile(aml)
        if (isStale) return
        setResult({ aml, compiled })
        setUnreachable(false)
      } catch {
        // The page shows a bad ticket above the editor.
        if (isStale) return
        setResult(undefined)
        setUnreachable(true)
        timer = setTimeout(run, retryMs)
      }
    }
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [api, aml, waitMs])

  function choose(name: typeof channel) {
    setChannel(name)
    setStatus('')
  }

  async function send() {
    setStatus('')
    try {
      const { accepted, reason = '' } =
        channel === 'webchat' && visitor === undefined
          ? { accepted: false, reason: 'unknownRecipient' }
          : await api.sendAs(channel, aml, channel === 'webchat' ? visitor : undefined)
      setStatus(accepted ? `Sent to ${titleOf(channel)}.` : (refusals[reason] ?? `It was refused: ${reason}.`))
    } catch (error) {
      setStatus((error as Error).message || 'That did not work.')
    }
  }

  const compiled = result?.compiled
  // Until the text is compiled, the preview is that of the previous text: the page dims it and disables sending.
  const isChecking = result !== undefined && result.aml !== aml
  const canSend = !isChecking && compiled?.message !== undefined
  const preview = compiled?.renderings?.[channel]
  return (
    <section class="aml" id="aml" aria-labelledby="aml-title">
      <h2 id="aml-title">Write AML</h2>
      <Help
        use={(example) => {
          setAml(example)
          setStatus('')
        }}
      />
      <div class="halves">
        <div>
          <textarea
            aria-label="AML"
            aria-describedby="aml-findings"
            spellcheck={false}
            rows={14}
            value={aml}
            onInput={(event) => {
              setAml(event.currentTarget.value)
              setStatus('')
            }}
          />
          <div id="aml-findings" role="status">
            {isUnreachable && <p class="empty">Not checked: the node does not answer.</p>}
            {isChecking ? <p class="empty">Checking…</p> : compiled && <Findings {...compiled} />}
          </div>
        </div>
        <div class="shown">
          <fieldset class="channels">
            <legend>What people see on</legend>
            {channels.map(([name, title]) => (
              <label key={name}>
                <input type="radio" name="channel" checked={channel === name} onChange={() => choose(name)} />
                {title}
              </label>
            ))}
          </fieldset>
          <p class="sending">
            <button type="button" aria-disabled={canSend ? undefined : 'true'} onClick={() => canSend && void send()}>
              Send to {titleOf(channel)}
            </button>
            <span role="status">{status}</span>
          </p>
          <div class={isChecking ? 'checking' : undefined} aria-busy={isChecking}>
            {preview ? (
              <Rendering {...preview} channel={channel} />
            ) : (
              <p class="empty">
                {isUnreachable ? 'Nothing, until the node answers.' : 'Nothing, as long as there are problems.'}
              </p>
            )}
          </div>
        </div>
      </div>
    </section>
  )
}

function Findings({ problems, warnings }: CompileResult) {
  if (problems.length + warnings.length === 0) return <p class="fine">No problems.</p>
  return (
    <ul class="findings">
      {problems.map((each) => (
        <Finding key={`${each.line} ${each.column} ${each.code}`} {...each} kind="Problem" />
      ))}
      {warnings.map((each) => (
        <Finding key={`${each.line} ${each.column} ${each.code}`} {...each} kind="Warning" />
      ))}
    </ul>
  )
}

function Finding({ kind, line, column, message }: Diagnostic & { kind: 'Problem' | 'Warning' }) {
  return (
    <li class={kind.toLowerCase()}>
      <strong>
        {kind}, line {line}, column {column}:
      </strong>{' '}
      {message}
    </li>
  )
}

function Rendering({ blocks, loss, text, segments, encoding, units, channel }: Preview & { channel: string }) {
  return (
    <>
      <div class="preview">
        {text !== undefined ? (
          <p class="bubble" dir="auto">
            {text}
          </p>
        ) : (
          blocks.map((block, at) => (
            <DrawingView key={at} drawing={drawingOfBlock(block)} channel={channel} tap={() => {}} chips />
          ))
        )}
      </div>
      {segments !== undefined && (
        <p class="figures">
          {segments} {segments === 1 ? 'segment' : 'segments'}, {encoding === 'gsm7' ? 'GSM-7' : 'UCS-2'}, {units} units
        </p>
      )}
      <p class="figures">{loss.length === 0 ? 'Nothing is lost.' : `Lost: ${loss.join(', ')}`}</p>
    </>
  )
}
